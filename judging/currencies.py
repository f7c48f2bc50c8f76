"""The currencies that people are paid in, and the least that an hour of work is to pay in each."""

from decimal import Decimal

# A fair rate for research work, as of November 2026, where a study sets none of its own.
MINIMUM_HOURLY_PAY = {"USD": Decimal(12), "EUR": Decimal(11), "GBP": Decimal(9)}

# The active codes of ISO 4217, without funds, metals and codes for testing.
CURRENCIES = frozenset(
    """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD
KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND
VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
""".split()
)


def currency_choices() -> list[tuple[str, str]]:
    codes = sorted(CURRENCIES, key=lambda code: (code not in MINIMUM_HOURLY_PAY, code))
    return [(code, code) for code in codes]

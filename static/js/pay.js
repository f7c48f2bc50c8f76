// What an hour pays, beside the pay of a unit, while that is typed.
(() => {
  const hint = document.getElementById("pay-hour");
  const { payment, currency } = document.querySelector("[name=payment]")?.form.elements ?? {};
  if (!hint || !payment) return;
  const status = hint.querySelector("[role=status]");
  const tell = () => {
    const hourly = (Number(payment.value.trim() || NaN) * 3600) / Number(hint.dataset.seconds);
    status.textContent = Number.isFinite(hourly) ? `${payment.value.trim()} a unit are ${hourly.toFixed(2)} ${currency.value} an hour.` : "";
  };
  payment.addEventListener("input", tell);
  currency.addEventListener("change", tell);
})();

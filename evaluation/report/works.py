"""The works that a report may cite.

Each entry was taken from the paper itself, or from the references of one that we implement.
"""

from typing import NamedTuple

BIOMETRIKA = "Biometrika"
TOIS = "ACM Transactions on Information Systems"
SIGIR = "Proceedings of SIGIR"


class Work(NamedTuple):
    """authors: "Family, Given", as BibTeX has them. fields: the rest, in the order of printing."""

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str]

    @property
    def short(self) -> str:
        """As a text names it: family names and year."""
        names = [author.split(",")[0] for author in self.authors]
        if len(names) > 2:
            return f"{names[0]} and others, {self.year}"
        return f"{' and '.join(names)}, {self.year}"


WORKS = {
    "maddalena2017": Work(
        "article",
        ("Maddalena, Eddy", "Mizzaro, Stefano", "Scholer, Falk", "Turpin, Andrew"),
        "On Crowdsourcing Relevance Magnitudes for Information Retrieval Evaluation",
        2017,
        {"journal": TOIS, "volume": "35", "number": "3"},
    ),
    "demeester2014": Work(
        "inproceedings",
        (
            *("Demeester, Thomas", "Aly, Robin", "Hiemstra, Djoerd", "Nguyen, Dong"),
            *("Trieschnigg, Dolf", "Develder, Chris"),
        ),
        "Exploiting User Disagreement for Web Search Evaluation: an Experimental Approach",
        2014,
        {"booktitle": "Proceedings of WSDM"},
    ),
    "debeer2006": Work(
        "inproceedings",
        ("De Beer, Jan", "Moens, Marie-Francine"),
        "Rpref: A Generalization of Bpref towards Graded Relevance Judgments",
        2006,
        {"booktitle": SIGIR},
    ),
    "smucker2012": Work(
        "inproceedings",
        ("Smucker, Mark D.", "Clarke, Charles L. A."),
        "Time-Based Calibration of Effectiveness Measures",
        2012,
        {"booktitle": SIGIR},
    ),
    "sakai2017": Work(
        "inproceedings",
        ("Sakai, Tetsuya",),
        "Unanimity-Aware Gain for Highly Subjective Assessments",
        2017,
        {"booktitle": "Proceedings of EVIA"},
    ),
    "sakai2006": Work(
        "inproceedings",
        ("Sakai, Tetsuya",),
        "Evaluating evaluation metrics based on the bootstrap",
        2006,
        {"booktitle": SIGIR, "pages": "525--532"},
    ),
    "jarvelin2002": Work(
        "article",
        ("Järvelin, Kalervo", "Kekäläinen, Jaana"),
        "Cumulated gain-based evaluation of IR techniques",
        2002,
        {"journal": TOIS, "volume": "20", "number": "4", "pages": "422--446"},
    ),
    "chapelle2009": Work(
        "inproceedings",
        ("Chapelle, Olivier", "Metzler, Donald", "Zhang, Ya", "Grinspan, Pierre"),
        "Expected reciprocal rank for graded relevance",
        2009,
        {"booktitle": "Proceedings of CIKM", "pages": "621--630"},
    ),
    "hayes2007": Work(
        "article",
        ("Hayes, Andrew F.", "Krippendorff, Klaus"),
        "Answering the call for a standard reliability measure for coding data",
        2007,
        {
            "journal": "Communication Methods and Measures",
            "volume": "1",
            "number": "1",
            "pages": "77--89",
        },
    ),
    "carterette2012": Work(
        "article",
        ("Carterette, Ben",),
        "Multiple testing in statistical analysis of systems-based information retrieval "
        "experiments",
        2012,
        {"journal": TOIS, "volume": "30", "number": "1"},
    ),
    "moskowitz1977": Work(
        "article",
        ("Moskowitz, Howard R.",),
        "Magnitude estimation: notes on what, how, when, and why to use it",
        1977,
        {
            "journal": "Journal of Food Quality",
            "volume": "1",
            "number": "3",
            "pages": "195--227",
        },
    ),
    "student1908": Work(
        "article",
        ("Student",),
        "The probable error of a mean",
        1908,
        {"journal": BIOMETRIKA, "volume": "6", "number": "1", "pages": "1--25"},
    ),
    "welch1947": Work(
        "article",
        ("Welch, B. L.",),
        "The generalization of 'Student's' problem when several different population variances "
        "are involved",
        1947,
        {"journal": BIOMETRIKA, "volume": "34", "number": "1/2", "pages": "28--35"},
    ),
    "spearman1904": Work(
        "article",
        ("Spearman, Charles",),
        "The proof and measurement of association between two things",
        1904,
        {
            "journal": "American Journal of Psychology",
            "volume": "15",
            "number": "1",
            "pages": "72--101",
        },
    ),
    "kendall1945": Work(
        "article",
        ("Kendall, Maurice G.",),
        "The treatment of ties in ranking problems",
        1945,
        {"journal": BIOMETRIKA, "volume": "33", "number": "3", "pages": "239--251"},
    ),
    "hollander2014": Work(
        "book",
        ("Hollander, Myles", "Wolfe, Douglas A.", "Chicken, Eric"),
        "Nonparametric Statistical Methods",
        2014,
        {"publisher": "Wiley", "edition": "third"},
    ),
    "wilcoxon1945": Work(
        "article",
        ("Wilcoxon, Frank",),
        "Individual comparisons by ranking methods",
        1945,
        {"journal": "Biometrics Bulletin", "volume": "1", "number": "6", "pages": "80--83"},
    ),
    "efron1993": Work(
        "book",
        ("Efron, Bradley", "Tibshirani, Robert J."),
        "An Introduction to the Bootstrap",
        1993,
        {"publisher": "Chapman and Hall"},
    ),
    "smucker2007": Work(
        "inproceedings",
        ("Smucker, Mark D.", "Allan, James", "Carterette, Ben"),
        "A comparison of statistical significance tests for information retrieval evaluation",
        2007,
        {"booktitle": "Proceedings of CIKM", "pages": "623--632"},
    ),
    "brennan2001": Work(
        "book",
        ("Brennan, Robert L.",),
        "Generalizability Theory",
        2001,
        {"publisher": "Springer"},
    ),
    "searle1992": Work(
        "book",
        ("Searle, Shayle R.", "Casella, George", "McCulloch, Charles E."),
        "Variance Components",
        1992,
        {"publisher": "Wiley"},
    ),
    "liang1986": Work(
        "article",
        ("Liang, Kung-Yee", "Zeger, Scott L."),
        "Longitudinal data analysis using generalized linear models",
        1986,
        {"journal": BIOMETRIKA, "volume": "73", "number": "1", "pages": "13--22"},
    ),
    "cameron2011": Work(
        "article",
        ("Cameron, A. Colin", "Gelbach, Jonah B.", "Miller, Douglas L."),
        "Robust inference with multiway clustering",
        2011,
        {
            "journal": "Journal of Business & Economic Statistics",
            "volume": "29",
            "number": "2",
            "pages": "238--249",
        },
    ),
    "cameron2015": Work(
        "article",
        ("Cameron, A. Colin", "Miller, Douglas L."),
        "A practitioner's guide to cluster-robust inference",
        2015,
        {
            "journal": "Journal of Human Resources",
            "volume": "50",
            "number": "2",
            "pages": "317--372",
        },
    ),
    "voorhees2000": Work(
        "article",
        ("Voorhees, Ellen M.",),
        "Variations in relevance judgments and the measurement of retrieval effectiveness",
        2000,
        {
            "journal": "Information Processing and Management",
            "volume": "36",
            "number": "5",
            "pages": "697--716",
        },
    ),
    "buckley2004": Work(
        "inproceedings",
        ("Buckley, Chris", "Voorhees, Ellen M."),
        "Retrieval evaluation with incomplete information",
        2004,
        {"booktitle": SIGIR, "pages": "25--32"},
    ),
    "sormunen2002": Work(
        "inproceedings",
        ("Sormunen, Eero",),
        "Liberal relevance criteria of TREC: counting on negligible documents?",
        2002,
        {"booktitle": SIGIR, "pages": "324--330"},
    ),
    "kanoulas2009": Work(
        "inproceedings",
        ("Kanoulas, Evangelos", "Aslam, Javed A."),
        "Empirical justification of the gain and discount function for nDCG",
        2009,
        {"booktitle": "Proceedings of CIKM", "pages": "611--620"},
    ),
    "robertson2010": Work(
        "inproceedings",
        ("Robertson, Stephen E.", "Kanoulas, Evangelos", "Yilmaz, Emine"),
        "Extending average precision to graded relevance judgments",
        2010,
        {"booktitle": SIGIR, "pages": "603--610"},
    ),
    "moffat2008": Work(
        "article",
        ("Moffat, Alistair", "Zobel, Justin"),
        "Rank-biased precision for measurement of retrieval effectiveness",
        2008,
        {"journal": TOIS, "volume": "27", "number": "1", "pages": "2:1--2:27"},
    ),
}

"""Good files of each format, small; and the words that their readers look for."""

from tests.fuzzing.reader import split

TOPICS = (
    b"<top>\n<num> Number: 401\n<title> foreign minorities\n<desc> Description:\nWhat &amp; who?\n"
    b"<narr> Narrative:\nA <b>relevant</b> document.\n\nAnother.\n</top>\n<top>\n<num>402<title>b"
    b"</title>\n</top>\n",
    b'<?xml version="1.0"?>\n<!DOCTYPE w [<!ELEMENT a>]>\n<webtrack><topic number="1" type="a">'
    b"<query>obama</query><description>Who?</description><subtopic n='1'>a</subtopic></topic>\n"
    b"<!-- c --></webtrack>",
    b"151:403b\n152:angular cheilitis\n",
    b"query_id\ttitle\tdescription\tlanguage\n1\ta\tb\ten\n2\tc\t\t\n",
    b'{"_id": "1", "text": "what is a"}\n{"_id": "2", "text": "\\u00e9"}\n',
    b"\xef\xbb\xbf1\twhat is it\r\n2\twhat else\r\n",
)
DOCUMENTS = (
    b"<DOC>\n<DOCNO> FT911-1 </DOCNO>\n<HEADLINE>a &sect; b</HEADLINE>\n<TEXT>\n<P>Words &#65;.</P>"
    b"<!-- c -->\n</TEXT>\n</DOC>\n<DOC><DOCNO>2</DOCNO><TITLE>t</TITLE>x</DOC>\n",
    b"<DOC><DOCNO>WT1</DOCNO><DOCHDR>http://a\nHTTP/1.0</DOCHDR><html><head><title>t</title></head>"
    b"<body onload='a'><table><tr><td colspan=\"2\">w &eacute;</td></tr></table><script>s</script>"
    b"</body></html></DOC>",
    b'{"doc_id": "1", "title": "t", "text": "a b"}\n{"doc_id": "2", "html": "<p>c"}\n',
    b'doc_id,title,text,language\n1,"a, ""b""","two\nlines",en\n2,c,d,pt-BR\n',
    b"1\tpassage one\n2\tpassage two\n",
    b"D1\thttp://a\ttitle\tbody\n",
)
RUNS = (
    b"401 Q0 FT911-1 1 12.5 tag\n401 Q0 FT911-2 2 1e-3 tag\n402\tQ0\tFT911-1\t0\t-1\ttag\n",
    b"# a\n1 Q0 a 1 3 t\n1 Q0 b 2 3 t\n",
    b"1\ta\t1\n1\tb\t2\n2\ta\t1\n",
    b"query_id,doc_id,rank,score,run\n1,a,1,0.5,t\n1,b,2,0.25,t\n",
    b'{"query_id": 1, "doc_id": "a", "rank": 1, "score": 2.5, "run": "t"}\n',
)
LABELS = (
    b"401 0 FT911-1 1\n401 0 FT911-2 0\n402 0 FT911-1 2.5\n",
    b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t0\n",
    b"query_id,doc_id,relevance\n1,a,-1\n1,b,0.1\n",
    b'{"query_id": "1", "doc_id": "a", "relevance": 1e3}\n',
)
OPINIONS = (
    b"worker,query_id,doc_id,label,aspect,occasion,gold\nada,1,a,0,,,1\nben,1,a,2,on,first,1\n",
    b'{"annotator": "ada", "topic": 1, "docno": "a", "score": 1, "gold": ""}\n',
    b"assessor;topic;doc_id;relevance;group\nada;1;a;1,5;g\nben;1;b;0;g\n",
)
CLASSES = (b"1 a c\n1 b c\n2 a d\n", b"a c\nb c\n", b"query_id,doc_id,class\n1,a,c\n,b,c\n")
SESSIONS = (
    b"participant,query_id,rank,doc_id,event,seconds\np,1,1,a,view,0\np,1,2,b,view,0\n"
    b"p,1,1,a,click,2.5\np,1,,,save,9\np,1,,,back,10\np,1,,,end,11\n",
)
QUESTIONS = (
    b"query_id,question,option_1,option_2,option_3,option_4,answer,h_k,n_k,answer_sentence\n"
    b"1,what?,a,b,c,d,a,D1,D2,so it is\n2,,,,,,,,,\n",
)
VALUES = (b"run\ttopic\tmeasure\tvalue\nr\t1\tAP\t0.5\nr\tall\tAP\t0.5\n", b"r\t1\tP@10\t1e-3\n")
LENGTHS = (b"doc_id,words\na,12\nb,0\n", b'{"doc_id": "a", "words": 3}\n')
ENCODED = (
    b"latin-1\nna\xefve\n",
    b"utf-16\n\xff\xfea\0\n\0b\0",
    b"shift_jis\n\x82\xa0\n",
    b'iso2022_jp\n\x1b$B$"\x1b(B\n',
    b"hz\n~{<:Ky~}\n",
    b"utf-32-be\n\0\0\0a",
    b"gb18030\n\x815\xf47",
    b"big5hkscs\n\x88b",
)
SGML_WORDS = (
    *(b"<DOC>", b"</DOC>", b"<DOCNO>", b"</DOCNO>", b"<TEXT>", b"<DOCHDR>", b"<html>", b"<title>"),
    *(b"<top>", b"</top>", b"<num>", b"<topic number=", b"<!--", b"-->", b"<!DOCTYPE a [", b"<h1>"),
    *split("&#65; &# &amp; < > \" ' <script> <b><i> <date>", b"<a b="),
)
TABLE_WORDS = (
    *(b'"', b'""', b",", b"\t", b";", b"{", b'{"', b'":', b"[", b"}", b"\\u0000", b"\\ud800"),
    *(b"query_id", b"doc_id", b"relevance", b"worker", b"null", b"true", b"NaN", b"1e999", b"-0"),
    *(b"Infinity", b"1_0", b"0x1f", b"# "),
)

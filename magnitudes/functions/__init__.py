"""The public functions: tables in, tables out.

    judgments -> scale -> aggregate -> evaluate -> compare
                 judgments -> agree

Each takes a path, a dict, NumPy columns, or a frame of pandas, polars or Arrow, and gives a frame
of the same kind; of what is none, a `Frame`. Columns go by the names that files have, with their
aliases (`query_id`, `qid`, `topic`; `doc_id`, `docno`; `relevance`, `label`; `score`); others are
left alone. The order of rows makes no difference, to the last bit, unless a function says so.

Errors: a `TableError` names table, row, column and what was expected, a `BadFile` file and line.
Both are ValueErrors, as are a MeasureNameError and a GainError.
"""

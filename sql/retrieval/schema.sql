-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

retrieval.finish_document(_ending json, _result text, _batons json, _contents bytea[], _vectors json, _floats bytea) -> boolean
retrieval.finish_ingest(_ending json, _result text, _plan json, _batch json, _floats bytea) -> boolean

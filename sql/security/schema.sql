-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

security.report_keys(_reports json) -> integer
security.revoke_leaked(_account uuid, _hash bytea, _prefix text, _found_at text) -> integer

-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

receipt.describe_payer(_job svc.job) -> json
receipt.read(_account uuid, _job uuid) -> json

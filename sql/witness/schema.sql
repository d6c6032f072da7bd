-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

witness.baton_id  uuid not null
witness.account_id  uuid not null
witness.job_id  uuid 
witness.statement  json not null
witness.jws  text not null
witness.witnessed_at  timestamptz not null
witness.retain_until  timestamptz not null
CREATE INDEX witness_retain_until ON svc.witness (retain_until)
CREATE UNIQUE INDEX witness_pkey ON svc.witness (baton_id)
witness.add_first_key(_kid text, _x text, _sealed text) -> json
witness.admit(_by json) -> svc.baton
witness.check_entries(_baton uuid, _from json, _last bigint, _limit integer, _is_full boolean) -> json
witness.current_key() -> json
witness.describe(_baton svc.baton) -> json
witness.erase_account(_account uuid) -> void
witness.export_account(_account uuid) -> json
witness.forget(_limit integer) -> integer
witness.freeze(_baton svc.baton, _job uuid, _writer text, _record json) -> void
witness.is_due(_baton svc.baton) -> boolean
witness.is_open(_baton svc.baton) -> boolean
witness.list(_after uuid, _limit integer) -> json
witness.list_due(_limit integer) -> json
witness.list_due_uploads(_limit integer) -> json
witness.list_headers(_by json, _max integer) -> json
witness.list_keys() -> json
witness.move_account(_from uuid, _to uuid) -> void
witness.prepare(_by json) -> json
witness.prepare_ended(_id uuid) -> json
witness.read_chain(_by json) -> json
witness.read_proof(_by json) -> json
witness.record(_job json, _by json, _version bigint, _record json, _result json) -> boolean
witness.record_by_service(_id uuid, _version bigint, _record json, _must_be_over boolean) -> boolean
witness.record_due(_id uuid, _version bigint, _record json) -> boolean
witness.record_ended(_id uuid, _version bigint, _record json) -> boolean
witness.replace_key(_kid text, _x text, _sealed text) -> json
witness.require_sealable(_baton svc.baton) -> void
witness.show_headers(_baton svc.baton) -> json
witness.show_key(_key svc.signing_key) -> json
witness.show_ledger(_id uuid) -> json

-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

baton.id  uuid not null
baton.account_id  uuid not null
baton.job_id  uuid not null
baton.preset  text not null
baton.tier  text not null
baton.behaviour  text not null
baton.size_bytes  int8 not null
baton.egress_bytes  int8 not null
baton.max_writes  int8 not null
baton.max_reads  int8 not null
baton.stored_bytes  int8 not null  default 0
baton.egress_used  int8 not null  default 0
baton.writes_used  int8 not null  default 0
baton.reads_used  int8 not null  default 0
baton.terms_version  int4 not null  default 1
baton.entry_count  int8 not null  default 0
baton.chain_head  bytea 
baton.content_type  text 
baton.name  text 
baton.description  text 
baton.tags  _text not null  default '{}'[]
baton.acl  jsonb not null  default '{}'
baton.schema_ref  text 
baton.on_expiration  text not null
baton.burns  bool not null  default false
baton.max_reads_per_minute  int4 
baton.max_writes_per_minute  int4 
baton.minute  int8 not null  default 0
baton.minute_reads  int4 not null  default 0
baton.minute_writes  int4 not null  default 0
baton.quote  json not null
baton.upload_key  text 
baton.upload_until  timestamptz 
baton.created_at  timestamptz not null
baton.expires_at  timestamptz not null
baton.deleted_at  timestamptz 
baton.deletion  text 
baton.purge_at  timestamptz 
baton.witness_prepaid  bool not null  default false
baton.witnessed_at  timestamptz 
baton.tailed_until  timestamptz 
baton.read_until  timestamptz 
baton_draw.job_id  uuid not null
baton_draw.place  int4 not null
baton_draw.baton_id  uuid not null
baton_draw.object_key  text 
baton_draw.until  timestamptz not null
baton_entry.baton_id  uuid not null
baton_entry.seq  int8 not null
baton_entry.start_byte  int8 not null
baton_entry.size_bytes  int8 not null
baton_entry.content  bytea 
baton_entry.object_key  text 
baton_entry.content_type  text not null
baton_entry.sha256  bytea not null
baton_entry.writer  text not null
baton_entry.prev  bytea 
baton_entry.hash  bytea 
baton_entry.created_at  timestamptz not null
baton_log.id  int8 not null
baton_log.baton_id  uuid not null
baton_log.type  text not null
baton_log.writer  text not null
baton_log.details  json 
baton_log.created_at  timestamptz not null  default clock_timestamp()
baton_token.hash  bytea not null
baton_token.id  uuid not null
baton_token.baton_id  uuid not null
baton_token.type  text not null
baton_token.max_reads  int4 
baton_token.max_writes  int4 
baton_token.reads_used  int4 not null  default 0
baton_token.writes_used  int4 not null  default 0
baton_token.expires_at  timestamptz 
baton_token.needs_fingerprint  bool not null  default false
baton_token.fingerprint  bytea 
baton_token.ip_allow  _inet not null  default '{}'[]
baton_token.revoked_at  timestamptz 
baton_token.created_at  timestamptz not null  default now()
baton_token.covered  int8multirange 
baton_token.covered_seq  int8 
baton_write.baton_id  uuid not null
baton_write.writer  text not null
baton_write.key  text not null
baton_write.fingerprint  bytea not null
baton_write.entry  json not null
baton_write.created_at  timestamptz not null  default now()
CREATE INDEX baton_of_account ON svc.baton (account_id, created_at)
CREATE INDEX baton_of_upload ON svc.baton (upload_key) WHERE (upload_key IS NOT NULL)
CREATE INDEX baton_purge ON svc.baton (purge_at) WHERE (purge_at IS NOT NULL)
CREATE INDEX baton_to_seal ON svc.baton (expires_at) WHERE (witness_prepaid AND (witnessed_at IS NULL) AND (deleted_at IS NULL) AND (purge_at IS NOT NULL) AND ((entry_count > 0) OR (upload_key IS NOT NULL)))
CREATE UNIQUE INDEX baton_pkey ON svc.baton (id)
CREATE INDEX baton_draw_end ON svc.baton_draw (until)
CREATE INDEX baton_draw_of_object ON svc.baton_draw (object_key) WHERE (object_key IS NOT NULL)
CREATE UNIQUE INDEX baton_draw_pkey ON svc.baton_draw (job_id, place)
CREATE UNIQUE INDEX baton_entry_pkey ON svc.baton_entry (baton_id, seq)
CREATE UNIQUE INDEX baton_log_pkey ON svc.baton_log (baton_id, id)
CREATE INDEX baton_token_of_baton ON svc.baton_token (baton_id, created_at)
CREATE UNIQUE INDEX baton_token_pkey ON svc.baton_token (hash)
CREATE INDEX baton_write_age ON svc.baton_write (created_at)
CREATE UNIQUE INDEX baton_write_pkey ON svc.baton_write (baton_id, writer, key)
baton  check CHECK (((stored_bytes <= size_bytes) AND (egress_used <= egress_bytes) AND (reads_used <= max_reads) AND (writes_used <= max_writes)))
baton_entry  check CHECK ((num_nonnulls(content, object_key) = 1))
baton_token  check CHECK (((max_reads IS NULL) OR (reads_used <= max_reads)))
baton_token  check CHECK (((max_writes IS NULL) OR (writes_used <= max_writes)))
baton_token  check CHECK ((type = ANY (ARRAY['read'::text, 'write'::text, 'read_write'::text])))
baton.add_fields(_result text, _fields jsonb, _warnings text) -> json
baton.add_warning(_warnings text, _code text) -> text
baton.admit(_by json, _action text) -> svc.baton_visit
baton.admit_token(_token svc.baton_token, _by json, _action text) -> svc.baton_token
baton.adopt_upload(_id uuid, _upload_key text, _written json) -> text
baton.change_token(_by json, _hash bytea, _change jsonb) -> json
baton.check_invariants() -> TABLE(rule text, subject text, detail text)
baton.check_writable(_by json) -> json
baton.consume_part(_visit svc.baton_visit, _bytes bigint) -> svc.baton
baton.consume_read(_visit svc.baton_visit, _bytes bigint) -> svc.baton
baton.copy_log(_baton uuid, _kind text, _subject uuid, _copied integer) -> integer
baton.count_due() -> bigint
baton.count_minute(_baton svc.baton, _use text) -> svc.baton
baton.cover(_token svc.baton_token, _seq bigint, _first bigint, _last bigint, _total bigint) -> boolean
baton.create(_job json, _spec json, _content bytea, _result json) -> void
baton.delete(_by json) -> json
baton.delete(_by json, _condition json) -> json
baton.deliver(_account uuid, _job uuid, _delivery json, _content bytea) -> jsonb
baton.draw(_job uuid, _until timestamp with time zone, _sources json) -> void
baton.emit(_baton svc.baton, _event text, _payload json) -> void
baton.end_reads(_baton svc.baton, _token svc.baton_token) -> void
baton.end_tokens(_baton svc.baton, _writer text) -> void
baton.erase_account(_account uuid) -> void
baton.export_account(_account uuid) -> json
baton.extend(_job json, _id uuid, _addition json) -> json
baton.find_purge_time(_on_expiration text, _end timestamp with time zone) -> timestamp with time zone
baton.find_removal_time(_key text, _grace interval) -> timestamp with time zone
baton.find_source(_by json, _ask json) -> TABLE(baton_id uuid, seq bigint, total bigint, content bytea, object_key text)
baton.find_upload(_key text) -> json
baton.find_write(_baton uuid, _writer text, _idempotency json) -> json
baton.finish_delivery(_ending json, _result text, _warnings text, _delivery json, _content bytea) -> boolean
baton.forget_copies(_ids uuid[]) -> void
baton.forget_upload(_baton svc.baton) -> void
baton.format_time(_time timestamp with time zone) -> text
baton.hash_entry(_entry svc.baton_entry) -> bytea
baton.hash_origin(_id uuid, _created_at timestamp with time zone) -> bytea
baton.insert_new(_account uuid, _job uuid, _spec json, _content bytea) -> void
baton.insert_token(_baton uuid, _token json) -> void
baton.is_log(_baton svc.baton) -> boolean
baton.join_log(_baton uuid, _total bigint, _first bigint, _length bigint) -> bytea
baton.keep_for_reader(_baton uuid) -> void
baton.list_account(_account uuid, _limit integer, _offset integer) -> json
baton.list_contents() -> TABLE(key text, sha256 text)
baton.list_entries(_by json, _filter json) -> json
baton.list_in_state(_account uuid, _state text, _limit integer, _offset integer) -> json
baton.list_logs(_by json, _filter json) -> json
baton.list_pieces(_baton uuid, _after bigint, _first bigint, _last bigint) -> TABLE(seq bigint, start_byte bigint, size_bytes bigint, content bytea, object_key text)
baton.list_tokens(_by json) -> json
baton.list_triggers(_by json) -> json
baton.mint_token(_by json, _token json, _max integer) -> json
baton.miss_upload(_id uuid, _upload_key text) -> void
baton.move_account(_from uuid, _to uuid) -> void
baton.note_exhausted(_baton svc.baton, _token svc.baton_token, _use text, _writer text) -> void
baton.note_token_use(_baton svc.baton, _token svc.baton_token, _use text, _is_exhausted boolean) -> void
baton.purge(_limit integer) -> integer
baton.put_entry(_baton svc.baton, _writer text, _content bytea, _written json) -> svc.baton_entry
baton.read(_by json, _ask json) -> json
baton.read_account(_account uuid, _id uuid) -> json
baton.read_list(_list json) -> text[]
baton.read_meta(_by json) -> json
baton.read_pieces(_baton uuid, _after bigint, _first bigint, _last bigint) -> TABLE(seq bigint, start_byte bigint, size_bytes bigint, content bytea, object_key text)
baton.read_terms(_id uuid) -> json
baton.refuse(_code text, _hints json DEFAULT NULL::json) -> void
baton.refuse_empty(_baton svc.baton) -> void
baton.require_active(_baton svc.baton) -> void
baton.require_adopted(_baton svc.baton, _by json) -> void
baton.require_entries(_baton svc.baton) -> void
baton.require_readable(_baton svc.baton, _token svc.baton_token, _bytes bigint) -> void
baton.require_role(_baton svc.baton, _account text, _action text) -> text
baton.require_version(_baton svc.baton, _condition json) -> void
baton.require_writable(_baton svc.baton, _token svc.baton_token, _written json) -> void
baton.reserve(_account uuid, _key text, _size bigint, _type text, _until timestamp with time zone) -> void
baton.return_part(_by json, _id uuid, _bytes bigint, _first bigint, _last bigint) -> void
baton.return_read(_by json, _id uuid, _bytes bigint) -> void
baton.revoke_token(_by json, _id uuid) -> json
baton.settle(_job json, _result json) -> void
baton.show(_baton svc.baton) -> json
baton.show_entry(_entry svc.baton_entry) -> json
baton.show_meta(_baton svc.baton) -> json
baton.show_quotas(_baton svc.baton) -> json
baton.show_token(_token svc.baton_token) -> json
baton.show_upload(_baton svc.baton) -> json
baton.state_of(_baton svc.baton) -> text
baton.summarize(_baton svc.baton) -> json
baton.update_meta(_by json, _change jsonb) -> json
baton.use(_use json) -> json
baton.use_batch(_batch json) -> SETOF json
baton.wake_tails(_baton svc.baton) -> void
baton.write(_by json, _content bytea, _written json) -> json

-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

screening.id  uuid not null
screening.account_id  uuid not null
screening.job_id  uuid 
screening.subject_key  text not null
screening.reference_id  text 
screening.subject  jsonb not null
screening.result  jsonb not null
screening.created_at  timestamptz not null  default now()
screening.purge_at  timestamptz not null
screening_dismissal.account_id  uuid not null
screening_dismissal.subject_key  text not null
screening_dismissal.entity_id  text not null
screening_dismissal.hash  text not null
screening_dismissal.reason  text not null
screening_dismissal.created_at  timestamptz not null  default now()
screening_entity.id  int8 not null
screening_entity.list_id  int4 not null
screening_entity.source_id  text not null
screening_entity.first_version  int4 not null
screening_entity.end_version  int4 
screening_entity.hash  text not null
screening_entity.families  _text not null
screening_entity.words  _int4 not null
screening_entity.names  jsonb not null
screening_entity.body  jsonb not null
screening_entity.identifiers  _text not null  default '{}'[]
screening_list.id  int4 not null
screening_list.key  text not null
screening_list.account_id  uuid 
screening_list.title  text not null
screening_list.families  _text not null
screening_list.current_version  int4 
screening_list.etag  text 
screening_list.checked_at  timestamptz 
screening_list.failure  text 
screening_list.failed_at  timestamptz 
screening_list.created_at  timestamptz not null  default now()
screening_monitor.id  uuid not null
screening_monitor.account_id  uuid not null
screening_monitor.job_id  uuid 
screening_monitor.state  text not null  default 'active'
screening_monitor.state_at  timestamptz not null  default now()
screening_monitor.reference_id  text 
screening_monitor.request  jsonb not null
screening_monitor.matches  jsonb not null
screening_monitor.status  text not null
screening_monitor.checked_version  int4 not null  default 0
screening_monitor.checked_at  timestamptz not null  default now()
screening_monitor.changed_at  timestamptz 
screening_monitor.created_at  timestamptz not null  default now()
screening_monitor.ends_at  timestamptz not null
screening_posting.word_id  int4 not null
screening_posting.entity_id  int8 not null
screening_seen.version_id  int4 not null
screening_seen.source_id  text not null
screening_seen.hash  text not null
screening_version.id  int4 not null
screening_version.list_id  int4 not null
screening_version.state  text not null  default 'loading'
screening_version.index_version  int4 not null
screening_version.entries  int4 not null  default 0
screening_version.added  int4 not null  default 0
screening_version.removed  int4 not null  default 0
screening_version.sha256  text 
screening_version.published_at  text 
screening_version.begun_at  timestamptz not null  default now()
screening_version.loaded_at  timestamptz 
screening_version.aliases  int4 not null  default 0
screening_version.identifiers  int4 not null  default 0
screening_word.id  int4 not null
screening_word.word  text not null
screening_word.keys  _int4 not null
screening_word.list_id  int4 
screening_word_count.word_id  int4 not null
screening_word_count.entries  int4 not null
CREATE INDEX screening_of_account ON svc.screening (account_id, created_at DESC, id)
CREATE INDEX screening_to_purge ON svc.screening (purge_at)
CREATE UNIQUE INDEX screening_pkey ON svc.screening (id)
CREATE UNIQUE INDEX screening_dismissal_pkey ON svc.screening_dismissal (account_id, subject_key, entity_id)
CREATE INDEX screening_entity_by_identifier ON svc.screening_entity USING gin (identifiers) WITH (gin_pending_list_limit='256')
CREATE INDEX screening_entity_ended ON svc.screening_entity (list_id, end_version) WHERE (end_version IS NOT NULL)
CREATE INDEX screening_entity_of_list ON svc.screening_entity (list_id, source_id, first_version)
CREATE UNIQUE INDEX screening_entity_pkey ON svc.screening_entity (id)
CREATE INDEX screening_list_of_account ON svc.screening_list (account_id) WHERE (account_id IS NOT NULL)
CREATE UNIQUE INDEX screening_list_key_key ON svc.screening_list (key)
CREATE UNIQUE INDEX screening_list_pkey ON svc.screening_list (id)
CREATE INDEX screening_monitor_active ON svc.screening_monitor (id) WHERE (state = 'active'::text)
CREATE INDEX screening_monitor_of_account ON svc.screening_monitor (account_id, created_at DESC, id)
CREATE UNIQUE INDEX screening_monitor_pkey ON svc.screening_monitor (id)
CREATE UNIQUE INDEX screening_posting_pkey ON svc.screening_posting (word_id, entity_id)
CREATE UNIQUE INDEX screening_seen_pkey ON svc.screening_seen (version_id, source_id)
CREATE INDEX screening_version_of_list ON svc.screening_version (list_id, id DESC)
CREATE UNIQUE INDEX screening_version_pkey ON svc.screening_version (id)
CREATE INDEX screening_word_by_key ON svc.screening_word USING gin (keys) WITH (gin_pending_list_limit='256')
CREATE INDEX screening_word_of_own_list ON svc.screening_word (list_id) WHERE (list_id IS NOT NULL)
CREATE UNIQUE INDEX screening_word_of_list ON svc.screening_word (word, COALESCE(list_id, 0))
CREATE UNIQUE INDEX screening_word_pkey ON svc.screening_word (id)
CREATE UNIQUE INDEX screening_word_count_pkey ON svc.screening_word_count (word_id)
screening  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
screening_dismissal  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
screening_list  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
screening_monitor  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
screening_version  check CHECK ((state = ANY (ARRAY['loading'::text, 'dropping'::text, 'active'::text, 'refused'::text, 'abandoned'::text, 'forgotten'::text])))
screening_version  check FOREIGN KEY (list_id) REFERENCES svc.screening_list(id) ON DELETE CASCADE
screening.activate(_version integer, _facts json) -> void
screening.add_entities(_version integer, _entities json, _keys json) -> void
screening.begin_load(_list json, _index_version integer) -> integer
screening.clear_list(_version integer, _keep integer, _limit integer) -> boolean
screening.count_entries(_words text[]) -> json
screening.count_words(_entities bigint[], _change integer) -> void
screening.delete_own_list(_account uuid, _key text) -> void
screening.dismiss(_account uuid, _id uuid, _entity text, _reason text) -> json
screening.drop_entries(_version integer, _after bigint, _limit integer) -> bigint
screening.drop_list(_list integer) -> void
screening.end_drop(_version integer, _state text, _limit integer) -> boolean
screening.end_entries(_version integer, _after bigint, _limit integer) -> bigint
screening.end_monitor_when_due(_id uuid) -> void
screening.ensure_forget() -> void
screening.ensure_refreshes(_lists text[]) -> void
screening.erase_account(_account uuid) -> void
screening.export_account(_account uuid) -> json
screening.fail_load(_version integer, _failure text) -> void
screening.find_candidates(_lists integer[], _versions integer[], _pairs json, _rare integer[], _limit integer) -> json
screening.find_identified(_lists integer[], _versions integer[], _keys text[], _limit integer) -> json
screening.find_loss(_load svc.screening_version, _last svc.screening_version, _least_share numeric) -> text
screening.find_words(_keys integer[], _lists integer[]) -> json
screening.finish_own_load(_ending json, _result text, _version integer, _facts json) -> boolean
screening.forget_due() -> integer
screening.forget_one(_account uuid, _id uuid) -> void
screening.is_in_version(_entity svc.screening_entity, _version integer) -> boolean
screening.judge_load(_version integer, _facts json, _least_share numeric) -> json
screening.keep(_job json, _rows json, _result json, _days integer) -> void
screening.keep_rows(_account uuid, _job uuid, _rows json, _days integer) -> void
screening.list(_account uuid, _limit integer) -> json
screening.list_dismissals(_account uuid, _limit integer) -> json
screening.list_dismissed(_account uuid, _subject_keys text[]) -> json
screening.list_kept(_lists integer[], _limit integer) -> json
screening.list_monitors(_account uuid, _limit integer) -> json
screening.list_own(_account uuid) -> json
screening.list_postings(_words integer[]) -> json
screening.list_versions(_account uuid, _as_of integer) -> json
screening.list_words(_keys integer[], _lists integer[]) -> json
screening.move_account(_from uuid, _to uuid) -> void
screening.name_queue(_list text) -> text
screening.note_check(_id uuid, _version integer, _found json, _change json) -> void
screening.note_failure(_list text, _failure text) -> void
screening.note_failure_of(_list json, _failure text) -> void
screening.note_seen(_version integer, _ids text[], _hashes text[], _aliases integer[], _identifiers integer[]) -> text[]
screening.note_unchanged(_list text) -> void
screening.put_list(_list json) -> integer
screening.put_own_list(_account uuid, _list json, _max integer) -> void
screening.queue_next_refresh(_list text, _seconds integer) -> void
screening.queue_refresh(_list text, _seconds integer) -> void
screening.queue_rescreen(_version integer, _after uuid) -> void
screening.read(_account uuid, _id uuid) -> json
screening.read_bodies(_ids bigint[]) -> json
screening.read_compared(_ids bigint[], _lists integer[], _versions integer[], _limit integer, _facts text[]) -> json
screening.read_entities(_ids bigint[]) -> json
screening.read_listed(_ids bigint[], _lists integer[], _versions integer[], _limit integer) -> json
screening.read_monitor(_account uuid, _id uuid) -> json
screening.read_state(_list text) -> json
screening.require_loading(_version integer) -> svc.screening_version
screening.require_monitor(_account uuid, _id uuid) -> svc.screening_monitor
screening.show_dismissal(_row svc.screening_dismissal) -> json
screening.show_monitor(_row svc.screening_monitor) -> json
screening.start_monitor(_job json, _fields json, _max integer) -> json
screening.stop_loads(_list text) -> integer[]
screening.stop_monitor(_account uuid, _id uuid) -> json
screening.take_monitors(_version integer, _after uuid, _limit integer) -> json
screening.undo_dismissal(_account uuid, _id uuid, _entity text) -> void

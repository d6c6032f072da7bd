-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

vector.baton_id  uuid not null
vector.number  int4 not null
vector.namespace  text not null
vector.id  text not null
vector.metadata  jsonb not null
vector.body  text 
vector.words  jsonb not null
vector.word_count  int4 not null
vector.size_bytes  int4 not null
vector_change.baton_id  uuid not null
vector_change.namespace  text not null
vector_change.number  int4 not null
vector_change.change  int8 not null
vector_floats.baton_id  uuid not null
vector_floats.namespace  text not null
vector_floats.number  int4 not null
vector_floats.floats  bytea not null
vector_id.baton_id  uuid not null
vector_id.namespace  text not null
vector_id.id  text not null
vector_id.number  int4 not null
vector_index.baton_id  uuid not null
vector_index.metric  text not null
vector_index.dimensions  int4 
vector_index.model  text 
vector_index.next_number  int4 not null  default 1
vector_index.changes  int8 not null  default 0
vector_namespace.baton_id  uuid not null
vector_namespace.name  text not null
vector_namespace.count  int4 not null
vector_namespace.text_count  int4 not null
vector_namespace.word_count  int8 not null
vector_namespace.last_number  int4 not null
vector_namespace.removed_at  int8 not null
vector_space.baton_id  uuid not null
vector_space.namespace  text not null
vector_space.state  text not null
vector_space.metric  text not null
vector_space.dimensions  int4 not null
vector_space.indexed_to  int4 not null  default 0
vector_store.is_only  bool not null  default true
vector_store.name  text not null
vector_store.index_from  int4 not null
vector_store.max_dimensions  int4 not null
CREATE UNIQUE INDEX vector_pkey ON svc.vector (baton_id, namespace, number)
CREATE UNIQUE INDEX vector_change_pkey ON svc.vector_change (baton_id, namespace, number)
CREATE UNIQUE INDEX vector_floats_pkey ON svc.vector_floats (baton_id, namespace, number)
CREATE UNIQUE INDEX vector_id_pkey ON svc.vector_id (baton_id, namespace, id)
CREATE UNIQUE INDEX vector_index_pkey ON svc.vector_index (baton_id)
CREATE UNIQUE INDEX vector_namespace_pkey ON svc.vector_namespace (baton_id, name)
CREATE UNIQUE INDEX vector_space_pkey ON svc.vector_space (baton_id, namespace)
CREATE UNIQUE INDEX vector_store_pkey ON svc.vector_store (is_only)
vector_index  check CHECK ((metric = ANY (ARRAY['cosine'::text, 'dot'::text, 'l2'::text])))
vector_space  check CHECK ((state = ANY (ARRAY['building'::text, 'ready'::text, 'dropping'::text])))
vector_store  check CHECK (is_only)
vector.admit(_by json, _action text) -> svc.baton_visit
vector.admit_change(_by json) -> svc.baton_visit
vector.after_restore() -> void
vector.begin_space(_baton uuid, _namespace text) -> void
vector.check(_by json, _action text) -> void
vector.check_invariants() -> TABLE(rule text, subject text, detail text)
vector.choose_store(_name text, _index_from integer, _max_dimensions integer) -> void
vector.count_all(_baton uuid) -> bigint
vector.delete(_by json, _ask json) -> json
vector.describe_space(_baton uuid, _namespace text, _limit integer) -> json
vector.drop_spaces(_batons uuid[]) -> void
vector.erase_batons(_batons uuid[]) -> void
vector.export_account(_account uuid) -> json
vector.fetch(_baton uuid, _namespace text, _numbers integer[], _with json) -> TABLE(number integer, id text, metadata json, body text, floats bytea, shown_bytes integer)
vector.find(_baton uuid, _namespace text, _id text) -> svc.vector
vector.find_candidates(_baton uuid, _namespace text, _filter text, _group text) -> TABLE(numbers bytea, groups bytea)
vector.find_existing(_baton uuid, _namespace text, _batch json) -> json
vector.find_model(_by json) -> text
vector.finish_query(_job json, _by json, _bytes bigint, _result json) -> json
vector.forget_space(_baton uuid, _namespace text) -> void
vector.freeze_terms(_baton uuid, _batch json) -> svc.vector_index
vector.insert_items(_index svc.vector_index, _batch json, _found json, _values bytea) -> json
vector.list_document(_baton uuid, _namespace text, _document text) -> integer[]
vector.list_numbers(_baton uuid, _namespace text) -> bytea
vector.load(_baton uuid, _namespace text, _after integer, _until integer, _limit integer) -> TABLE(numbers bytea, floats bytea)
vector.load_words(_baton uuid, _namespace text, _after integer, _until integer, _limit integer) -> json
vector.measure(_dimensions integer, _metadata jsonb, _body text) -> integer
vector.note_changes(_baton uuid, _namespace text, _numbers integer[]) -> void
vector.note_indexed(_baton uuid, _namespace text, _indexed_to integer, _changed integer[], _change bigint) -> void
vector.note_ready(_baton uuid, _namespace text) -> void
vector.open(_by json, _ask json) -> json
vector.open_namespace(_index svc.vector_index, _name text) -> svc.vector_namespace
vector.pick(_baton uuid, _namespace text, _numbers integer[], _filter text) -> TABLE(numbers bytea, floats bytea)
vector.purge(_batons uuid[], _limit integer) -> uuid[]
vector.queue_index(_baton uuid, _namespace text) -> void
vector.rank_words(_baton uuid, _namespace text, _filter text, _words text[], _limit integer) -> bytea
vector.read(_by json, _ask json) -> json
vector.read_unindexed(_baton uuid, _namespace text, _limit integer) -> json
vector.record_change(_visit svc.baton_visit, _type text, _bytes bigint, _count integer) -> svc.baton
vector.remove(_baton uuid, _namespace text, _numbers integer[]) -> json
vector.require_model(_index svc.vector_index, _text_model text) -> void
vector.require_room(_baton uuid, _dimensions integer) -> void
vector.show(_baton uuid) -> json
vector.show_state(_baton uuid) -> text
vector.stats(_by json) -> json
vector.update(_by json, _ask json) -> json
vector.upsert(_job json, _by json, _batch json, _values bytea) -> json
vector.write(_by json, _batch json, _values bytea) -> json

-- Writes a batch of vectors and ends the paying job, all of it or nothing.
create or replace function vector.upsert(_job json, _by json, _batch json, _values bytea) returns json language plpgsql as $$
declare
  _result json := vector.write(_by, _batch, _values);
begin
  _result := baton.add_fields(_result::text, jsonb_build_object('chargedMicros', _job ->> 'charge'), '[]');
  perform baton.settle(_job, _result);
  return _result;
end $$;

-- Writes a batch of vectors. `_values` has the floats of all items, one after the other. With a `document`, what its name and
-- a number sign begin is replaced by the batch.
create or replace function vector.write(_by json, _batch json, _values bytea) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit_change(_by);
  _baton svc.baton := _visit.baton;
  _index svc.vector_index := vector.freeze_terms(_baton.id, _batch);
  _namespace svc.vector_namespace := vector.open_namespace(_index, _batch ->> 'namespace');
  _found json := vector.find_existing(_baton.id, _namespace.name, _batch);
  _gone json;
  _added json;
begin
  _gone := vector.remove(_baton.id, _namespace.name, case when (_batch ->> 'onConflict') = 'skip' then '{}'::integer[]
    when (_batch ->> 'document') is not null then vector.list_document(_baton.id, _namespace.name, _batch ->> 'document')
    else array(select value::integer from json_array_elements_text(_found -> 'numbers')) end);
  _added := vector.insert_items(_index, _batch, _found, _values);
  update svc.vector_index set next_number = next_number + (_batch ->> 'count')::integer where baton_id = _baton.id;
  update svc.vector_namespace n set count = n.count + (_added ->> 'count')::integer,
    text_count = n.text_count + (_added ->> 'texts')::integer, word_count = n.word_count + (_added ->> 'words')::bigint,
    last_number = _index.next_number + (_batch ->> 'count')::integer - 1
    where n.baton_id = _baton.id and n.name = _namespace.name;
  _baton := vector.record_change(_visit, 'vectors.written', (_added ->> 'bytes')::bigint - (_gone ->> 'bytes')::bigint,
    (_added ->> 'count')::integer);
  perform vector.require_room(_baton.id, _index.dimensions);
  perform vector.begin_space(_baton.id, _namespace.name);
  return json_strip_nulls(json_build_object('upserted', (_added ->> 'count')::integer,
    'skipped', (_batch ->> 'count')::integer - (_added ->> 'count')::integer, 'replaced', (_gone ->> 'count')::integer,
    'count', vector.count_all(_baton.id), 'dimensions', _index.dimensions, 'model', _index.model, 'engine', _batch ->> 'engine',
    'bytesUsed', _baton.stored_bytes::text, 'batches', (_batch ->> 'batches')::integer,
    'ids', case when (_batch ->> 'returnIds')::boolean then _added -> 'ids' end,
    'quotas', baton.show_quotas(_baton)));
end $$;

-- The numbers of the vectors of a document. No character of an id comes after the tilde.
create or replace function vector.list_document(_baton uuid, _namespace text, _document text) returns integer[] language sql stable
set enable_seqscan = off as $$
  select coalesce(array_agg(x.number), '{}') from svc.vector_id x where x.baton_id = _baton and x.namespace = _namespace
    and x.id >= _document || '#' and x.id < _document || '#~'
$$;

-- The dimensions and the model of a baton are those of its first vectors.
create or replace function vector.freeze_terms(_baton uuid, _batch json) returns svc.vector_index language plpgsql as $$
declare
  _index svc.vector_index;
  _dimensions integer := (_batch ->> 'dimensions')::integer;
begin
  select * into _index from svc.vector_index where baton_id = _baton;
  perform vector.require_model(_index, coalesce(_batch ->> 'textModel', case when _index.model like 'svc-%' then 'own' end));
  if _index.dimensions <> _dimensions then
    perform baton.refuse('DIMENSION_MISMATCH', json_build_object('expected', _index.dimensions, 'actual', _dimensions));
  end if;
  update svc.vector_index set dimensions = _dimensions, model = coalesce(model, _batch ->> 'textModel', 'own')
    where baton_id = _baton returning * into _index;
  return _index;
end $$;

-- A text is not compared with the vectors of another model, and vectors of callers are not written beside those of our own.
-- `_text_model` is null where vectors are sent to a baton with such vectors.
create or replace function vector.require_model(_index svc.vector_index, _text_model text) returns void language plpgsql as $$
begin
  if _index.model <> _text_model then
    perform baton.refuse('MODEL_MISMATCH', json_build_object('indexModel', _index.model, 'queryModel', _text_model,
      'instead', format('Send %s, or use another vector baton.', case when _index.model like 'svc-%' then 'texts only'
        else 'vectors of the model ' || _index.model end)));
  end if;
end $$;

create or replace function vector.open_namespace(_index svc.vector_index, _name text) returns svc.vector_namespace
language plpgsql as $$
declare
  _namespace svc.vector_namespace;
begin
  insert into svc.vector_namespace (baton_id, name, count, text_count, word_count, last_number, removed_at)
    values (_index.baton_id, _name, 0, 0, 0, 0, _index.changes) on conflict do nothing;
  if found and (select count(*) from svc.vector_namespace where baton_id = _index.baton_id) > 1000 then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'namespaces', 'limit', 1000));
  end if;
  select * into _namespace from svc.vector_namespace where baton_id = _index.baton_id and name = _name;
  return _namespace;
end $$;

-- The items of a batch that exist already: their numbers, and their metadata by their ids.
create or replace function vector.find_existing(_baton uuid, _namespace text, _batch json) returns json language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _conflict text := _batch ->> 'onConflict';
  _found json;
begin
  select json_build_object('numbers', coalesce(json_agg(v.number), '[]'), 'ids', coalesce(json_agg(v.id), '[]'),
    'metadata', case when _conflict = 'merge-metadata' then json_object_agg(v.id, v.metadata) end) into _found
    from json_array_elements(_batch -> 'items') i
      join svc.vector_id x on x.baton_id = _baton and x.namespace = _namespace and x.id = i ->> 'id'
      join svc.vector v on v.baton_id = _baton and v.namespace = _namespace and v.number = x.number;
  if _conflict = 'error' and json_array_length(_found -> 'ids') > 0 then
    perform baton.refuse('VECTOR_EXISTS', json_build_object('id', _found #>> '{ids,0}',
      'count', json_array_length(_found -> 'ids')));
  end if;
  return _found;
end $$;

-- What is read of the batch for every item is in a variable, because JSON is parsed whenever it is read.
create or replace function vector.insert_items(_index svc.vector_index, _batch json, _found json, _values bytea) returns json
language plpgsql as $$
declare
  _baton uuid := _index.baton_id;
  _first integer := _index.next_number;
  _namespace text := _batch ->> 'namespace';
  _skipped jsonb := case when _batch ->> 'onConflict' = 'skip' then _found -> 'ids' else '[]' end;
  _old json := case when json_typeof(_found -> 'metadata') = 'object' then _found -> 'metadata' end;
  _width integer := 4 * _index.dimensions;
  _added json;
  _large integer;
begin
  with item as (
    select i ->> 'id' as id, i ->> 'text' as body, (i -> 'words')::jsonb as words, (i ->> 'wordCount')::integer as word_count,
      ord::integer - 1 as place, (i -> 'metadata')::jsonb as metadata
    from json_array_elements(_batch -> 'items') with ordinality l (i, ord)
    where not _skipped ? (i ->> 'id')
  ), stored as (
    insert into svc.vector (baton_id, namespace, number, id, metadata, body, words, word_count, size_bytes)
      select _baton, _namespace, _first + place, i.id, m.metadata, body, words, word_count,
        vector.measure(_index.dimensions, m.metadata, body)
      from item i left join json_each(_old) old on old.key = i.id
        cross join lateral (select coalesce(old.value::jsonb, '{}') || i.metadata as metadata) m
      returning number, id, size_bytes, word_count, octet_length(metadata::text) as metadata_bytes
  ), named as (
    insert into svc.vector_id (baton_id, namespace, id, number) select _baton, _namespace, id, _first + place from item
  ), floats as (
    insert into svc.vector_floats (baton_id, namespace, number, floats)
      select _baton, _namespace, _first + place, substr(_values, place * _width + 1, _width) from item
  )
  select json_build_object('count', count(*), 'texts', count(*) filter (where word_count > 0),
      'words', coalesce(sum(word_count), 0), 'bytes', coalesce(sum(size_bytes), 0), 'ids', coalesce(json_agg(id order by number), '[]')),
    min(number - _first) filter (where metadata_bytes > 8192) into _added, _large from stored;
  if _large is not null then
    perform baton.refuse('VECTOR_INVALID', json_build_object('index', _large, 'reason', 'metadata', 'maxBytes', 8192));
  end if;
  return _added;
end $$;

-- What a vector takes of the size of its baton.
create or replace function vector.measure(_dimensions integer, _metadata jsonb, _body text) returns integer
language sql immutable as $$
  select 4 * _dimensions + octet_length(_metadata::text) + coalesce(octet_length(_body), 0) + 64
$$;

-- All vectors that are searched together have to fit into memory.
create or replace function vector.require_room(_baton uuid, _dimensions integer) returns void language plpgsql as $$
declare
  _max bigint := 512 * 1024 * 1024 / (4 * _dimensions + 12);
begin
  if exists (select from svc.vector_namespace where baton_id = _baton and count > least(_max, 1000000)) then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'vectors of a namespace', 'limit', least(_max, 1000000)));
  end if;
end $$;

create or replace function vector.count_all(_baton uuid) returns bigint language sql stable as $$
  select coalesce(sum(count), 0)::bigint from svc.vector_namespace where baton_id = _baton
$$;

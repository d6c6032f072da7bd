-- Removes vectors by their numbers, and says how many there were and what they took.
create or replace function vector.remove(_baton uuid, _namespace text, _numbers integer[]) returns json language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _gone json;
begin
  with gone as (
    delete from svc.vector where baton_id = _baton and namespace = _namespace and number = any (_numbers)
      returning number, id, size_bytes, word_count
  ), named as (
    delete from svc.vector_id x using gone g where x.baton_id = _baton and x.namespace = _namespace and x.id = g.id
  ), floats as (
    delete from svc.vector_floats f using gone g where f.baton_id = _baton and f.namespace = _namespace and f.number = g.number
  )
  select json_build_object('count', count(*), 'bytes', coalesce(sum(size_bytes), 0), 'words', coalesce(sum(word_count), 0),
    'texts', count(*) filter (where word_count > 0)) into _gone from gone;
  if (_gone ->> 'count')::integer > 0 then
    update svc.vector_namespace n set count = n.count - (_gone ->> 'count')::integer,
      text_count = n.text_count - (_gone ->> 'texts')::integer, word_count = n.word_count - (_gone ->> 'words')::bigint,
      removed_at = (select changes from svc.vector_index where baton_id = _baton)
      where n.baton_id = _baton and n.name = _namespace;
    perform vector.note_changes(_baton, _namespace, _numbers);
  end if;
  return _gone;
end $$;

-- Deletes vectors by their ids, by a filter, or all of a namespace.
create or replace function vector.delete(_by json, _ask json) returns json language plpgsql set enable_seqscan = off as $$
declare
  _visit svc.baton_visit := vector.admit_change(_by);
  _baton svc.baton := _visit.baton;
  _namespace text := _ask ->> 'namespace';
  _numbers integer[];
  _gone json;
begin
  if _ask -> 'ids' is not null then
    _numbers := array(select x.number from svc.vector_id x where x.baton_id = _baton.id and x.namespace = _namespace
      and x.id = any (baton.read_list(_ask -> 'ids')));
  else
    _numbers := array(select v.number from svc.vector v where v.baton_id = _baton.id and v.namespace = _namespace
      and (_ask ->> 'filter' is null or v.metadata @@ (_ask ->> 'filter')::jsonpath));
  end if;
  _gone := vector.remove(_baton.id, _namespace, _numbers);
  delete from svc.vector_namespace n where n.baton_id = _baton.id and n.name = _namespace and n.count = 0;
  perform vector.drop_spaces(array[_baton.id]);
  _baton := vector.record_change(_visit, 'vectors.deleted', -(_gone ->> 'bytes')::bigint, (_gone ->> 'count')::integer);
  return json_build_object('deleted', (_gone ->> 'count')::integer, 'count', vector.count_all(_baton.id),
    'bytesUsed', _baton.stored_bytes::text, 'quotas', baton.show_quotas(_baton));
end $$;

-- Changes the metadata of one vector.
create or replace function vector.update(_by json, _ask json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit_change(_by);
  _baton svc.baton := _visit.baton;
  _before svc.vector;
  _metadata jsonb := _ask -> 'metadata';
  _more bigint;
begin
  _before := vector.find(_baton.id, _ask ->> 'namespace', _ask ->> 'id');
  if (_ask ->> 'merge')::boolean then
    _metadata := _before.metadata || _metadata;
  end if;
  if octet_length(_metadata::text) > 8192 then
    perform baton.refuse('VECTOR_INVALID', json_build_object('index', 0, 'reason', 'metadata', 'maxBytes', 8192));
  end if;
  _more := octet_length(_metadata::text) - octet_length(_before.metadata::text);
  update svc.vector v set metadata = _metadata, size_bytes = v.size_bytes + _more
    where v.baton_id = _baton.id and v.namespace = _before.namespace and v.number = _before.number;
  perform vector.note_changes(_baton.id, _before.namespace, array[_before.number]);
  _baton := vector.record_change(_visit, 'vectors.updated', _more, 1);
  return json_build_object('id', _before.id, 'namespace', _before.namespace, 'metadata', _metadata,
    'bytesUsed', _baton.stored_bytes::text, 'quotas', baton.show_quotas(_baton));
end $$;

-- Removes the vectors of batons that are over, so many at a time, and returns the batons that have more.
create or replace function vector.purge(_batons uuid[], _limit integer) returns uuid[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _left uuid[];
begin
  with chosen as (
    select baton_id, namespace, number, id from svc.vector where baton_id = any (_batons) limit _limit
  ), named as (
    delete from svc.vector_id x using chosen c where x.baton_id = c.baton_id and x.namespace = c.namespace and x.id = c.id
  ), gone as (
    delete from svc.vector v using chosen c where v.baton_id = c.baton_id and v.namespace = c.namespace and v.number = c.number
  )
  delete from svc.vector_floats f using chosen c
    where f.baton_id = c.baton_id and f.namespace = c.namespace and f.number = c.number;
  _left := array(select distinct baton_id from svc.vector where baton_id = any (_batons));
  delete from svc.vector_namespace where baton_id = any (_batons) and baton_id <> all (_left);
  perform vector.drop_spaces(_batons);
  return _left;
end $$;

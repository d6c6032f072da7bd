-- Decision 0280: index large namespaces in another store.

-- Says where namespaces are indexed from now on; null: nowhere. Indexes in another store are forgotten, those of large
-- namespaces begun.
create or replace function vector.choose_store(_name text, _index_from integer, _max_dimensions integer) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('vector.choose_store'));
  if not exists (select from svc.vector_store where name = _name) then
    delete from svc.vector_change;
    delete from svc.vector_space;
    delete from svc.vector_store;
  end if;
  if _name is not null then
    insert into svc.vector_store (name, index_from, max_dimensions) values (_name, _index_from, _max_dimensions)
      on conflict (is_only) do update set index_from = excluded.index_from, max_dimensions = excluded.max_dimensions;
    perform vector.begin_space(n.baton_id, n.name) from svc.vector_namespace n where n.count >= _index_from
      and not exists (select from svc.vector_space s where s.baton_id = n.baton_id and s.namespace = n.name);
  end if;
end $$;

-- Begins the index of a namespace that is large enough, or has the step bring it up to date.
create or replace function vector.begin_space(_baton uuid, _namespace text) returns void language plpgsql as $$
begin
  insert into svc.vector_space (baton_id, namespace, state, metric, dimensions)
    select _baton, _namespace, 'building', i.metric, i.dimensions
    from svc.vector_index i join svc.vector_namespace n on n.baton_id = i.baton_id and n.name = _namespace
      cross join svc.vector_store s
    where i.baton_id = _baton and n.count >= s.index_from and i.dimensions <= s.max_dimensions
    on conflict do nothing;
  if exists (select from svc.vector_space where baton_id = _baton and namespace = _namespace) then
    perform vector.queue_index(_baton, _namespace);
  end if;
end $$;

-- One run at a time: of two, the one that has read older metadata could write them last. The queues are few, because each leaves
-- a row.
create or replace function vector.queue_index(_baton uuid, _namespace text) returns void language plpgsql as $$
declare
  _key text := _baton || ' ' || md5(_namespace);
begin
  perform step.queue_in('vector.update-index ' || (hashtext(_key) & 63), 'vector.update-index',
    json_build_object('batonId', _baton, 'namespace', _namespace), now(), _key);
end $$;

-- Notes which vectors of a namespace the index has otherwise than the database, if it has an index.
create or replace function vector.note_changes(_baton uuid, _namespace text, _numbers integer[]) returns void
language plpgsql as $$
begin
  if not exists (select from svc.vector_space where baton_id = _baton and namespace = _namespace) then
    return;
  end if;
  insert into svc.vector_change (baton_id, namespace, number, change)
    select _baton, _namespace, number, i.changes from unnest(_numbers) number, svc.vector_index i where i.baton_id = _baton
    on conflict (baton_id, namespace, number) do update set change = excluded.change;
  perform vector.queue_index(_baton, _namespace);
end $$;

-- Has the step remove the indexes of namespaces that are gone, or of batons.
create or replace function vector.drop_spaces(_batons uuid[]) returns void language plpgsql as $$
declare
  _gone svc.vector_space;
begin
  delete from svc.vector_change c where c.baton_id = any (_batons)
    and not exists (select from svc.vector_namespace n where n.baton_id = c.baton_id and n.name = c.namespace);
  for _gone in update svc.vector_space s set state = 'dropping' where s.baton_id = any (_batons)
      and not exists (select from svc.vector_namespace n where n.baton_id = s.baton_id and n.name = s.namespace) returning s.*
  loop
    perform vector.queue_index(_gone.baton_id, _gone.namespace);
  end loop;
end $$;

-- What the index of a namespace lacks: at most so many vectors, and those to be removed.
create or replace function vector.read_unindexed(_baton uuid, _namespace text, _limit integer) returns json
language plpgsql stable set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _space svc.vector_space;
  _changed integer[];
  _change bigint;
  _new integer[];
begin
  select * into _space from svc.vector_space where baton_id = _baton and namespace = _namespace;
  if not found then
    return null;
  end if;
  select array_agg(number), max(change) into _changed, _change from (select number, change from svc.vector_change
    where baton_id = _baton and namespace = _namespace order by change limit _limit) c;
  _new := array(select v.number from svc.vector v where v.baton_id = _baton and v.namespace = _namespace
    and v.number > _space.indexed_to order by v.number limit _limit - coalesce(cardinality(_changed), 0));
  return (select json_build_object('state', _space.state, 'metric', _space.metric, 'dimensions', _space.dimensions,
      'indexedTo', greatest(_space.indexed_to, (select max(n) from unnest(_new) n)), 'change', _change::text,
      'changed', coalesce(to_json(_changed), '[]'), 'vectors', coalesce(json_agg(json_build_object('number', v.number,
        'metadata', v.metadata, 'floats', encode(f.floats, 'base64'))), '[]'))
    from svc.vector v join svc.vector_floats f using (baton_id, namespace, number)
    where v.baton_id = _baton and v.namespace = _namespace and v.number = any (_new || _changed));
end $$;

-- What `read_unindexed` has returned is in the index now. What has changed since is not forgotten.
create or replace function vector.note_indexed(_baton uuid, _namespace text, _indexed_to integer, _changed integer[], _change bigint)
returns void language plpgsql as $$
begin
  update svc.vector_space set indexed_to = _indexed_to
    where baton_id = _baton and namespace = _namespace and indexed_to < _indexed_to and state <> 'dropping';
  delete from svc.vector_change where baton_id = _baton and namespace = _namespace and number = any (_changed)
    and change <= _change;
end $$;

create or replace function vector.note_ready(_baton uuid, _namespace text) returns void language sql as $$
  update svc.vector_space set state = 'ready' where baton_id = _baton and namespace = _namespace and state = 'building'
$$;

-- Forgets an index that was removed. Its namespace may be in use again.
create or replace function vector.forget_space(_baton uuid, _namespace text) returns void language plpgsql as $$
begin
  delete from svc.vector_space where baton_id = _baton and namespace = _namespace and state = 'dropping';
  delete from svc.vector_change where baton_id = _baton and namespace = _namespace;
  perform vector.begin_space(_baton, _namespace);
end $$;

-- How far the index of a namespace can be used: null if it has none that is ready, else the numbers of what it has not, or has
-- otherwise, up to a limit of each.
create or replace function vector.describe_space(_baton uuid, _namespace text, _limit integer) returns json language sql stable
set enable_seqscan = off as $$
  select json_build_object('store', t.name, 'lacking', array(
      (select v.number from svc.vector v where v.baton_id = _baton and v.namespace = _namespace and v.number > s.indexed_to
        limit _limit)
      union all
      (select c.number from svc.vector_change c where c.baton_id = _baton and c.namespace = _namespace limit _limit)))
  from svc.vector_space s cross join svc.vector_store t
  where s.baton_id = _baton and s.namespace = _namespace and s.state = 'ready'
$$;

-- The vectors of a namespace with these numbers, and all that its index lacks, which a filter lets pass, with their floats.
create or replace function vector.pick(_baton uuid, _namespace text, _numbers integer[], _filter text)
returns table (numbers bytea, floats bytea) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
  with wanted as (
    select number from unnest(_numbers) number
    union
    (select v.number from svc.vector_space s join svc.vector v using (baton_id, namespace)
      where s.baton_id = _baton and s.namespace = _namespace and v.number > s.indexed_to)
    union
    (select c.number from svc.vector_change c where c.baton_id = _baton and c.namespace = _namespace)
  )
  select string_agg(int4send(f.number), ''::bytea order by f.number), string_agg(f.floats, ''::bytea order by f.number)
  from wanted w join svc.vector v on v.baton_id = _baton and v.namespace = _namespace and v.number = w.number
    join svc.vector_floats f on f.baton_id = _baton and f.namespace = _namespace and f.number = w.number
  where _filter is null or v.metadata @@ _filter::jsonpath
$$;

-- For a database that was restored from a backup: what is indexed elsewhere may be newer, so it is indexed again.
create or replace function vector.after_restore() returns void language sql as $$
  select vector.choose_store(null, null, null)
$$;

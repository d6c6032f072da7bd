-- The data set that routes are planned on; null if there is none.
create or replace function location.current_roads() returns jsonb language sql stable as $$
  select jsonb_build_object('id', d.id, 'attribution', d.attribution, 'date', d.data_date, 'manifest', d.manifest)
  from svc.road_current c join svc.road_data d on d.id = c.data_id
$$;

-- Begins to load a file, or goes on with a load of the same one that broke off.
create or replace function location.begin_roads_load(_file text, _size_bytes bigint, _attribution text, _date date) returns jsonb
language plpgsql as $$
declare
  _data svc.road_data;
begin
  perform pg_advisory_xact_lock(hashtext('road.load'));
  select * into _data from svc.road_data d
    where d.file = _file and d.size_bytes = _size_bytes and d.data_date = _date and d.loaded_at is null;
  if not found then
    insert into svc.road_data (file, size_bytes, attribution, data_date) values (_file, _size_bytes, _attribution, _date)
      returning * into _data;
  end if;
  return jsonb_build_object('id', _data.id, 'progress', _data.progress);
end $$;

-- Stores a part, and how far the file was read, in one transaction.
create or replace function location.store_roads(_data integer, _kind text, _at integer, _bytes bytea, _progress jsonb) returns void
language plpgsql as $$
begin
  insert into svc.road_part (data_id, kind, at, bytes) values (_data, _kind, _at, _bytes)
    on conflict (data_id, kind, at) do update set bytes = excluded.bytes;
  update svc.road_data set progress = progress || _progress where id = _data;
end $$;

create or replace function location.road_part(_data integer, _kind text, _at integer) returns bytea language sql stable as $$
  select bytes from svc.road_part where data_id = _data and kind = _kind and at = _at
$$;

-- Makes a graph of so many parts the current one and removes all other data.
create or replace function location.activate_roads(_data integer, _manifest jsonb, _parts integer) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('road.load'));
  if _parts <> (select count(*) from svc.road_part where data_id = _data and kind = 'graph' and at < _parts) then
    raise exception 'the graph of data set % is not whole', _data;
  end if;
  delete from svc.road_part where data_id = _data and (kind <> 'graph' or at >= _parts);
  update svc.road_data set manifest = _manifest, loaded_at = now() where id = _data;
  insert into svc.road_current (data_id) values (_data) on conflict (only_row) do update set data_id = excluded.data_id;
  delete from svc.road_data where id <> _data;
  perform pg_notify('changed', 'roads');
end $$;

-- Begins to load a data set, or goes on with one of the same source and date that broke off.
create or replace function location.begin_load(_source text, _attribution text, _date date) returns jsonb
language plpgsql as $$
declare
  _data svc.place_data;
begin
  perform pg_advisory_xact_lock(hashtext('place.load'));
  select * into _data from svc.place_data d where d.source = _source and d.data_date = _date and d.loaded_at is null;
  if not found then
    insert into svc.place_data (source, attribution, data_date) values (_source, _attribution, _date) returning * into _data;
    perform location.add_partitions(_data.id);
  end if;
  return jsonb_build_object('id', _data.id, 'progress', _data.progress);
end $$;

create or replace function location.add_partitions(_data integer) returns void language plpgsql as $$
begin
  execute format('create table svc.place_%s partition of svc.place for values in (%s)', _data, _data);
  execute format('create table svc.place_name_%s partition of svc.place_name for values in (%s)', _data, _data);
end $$;

-- Stores some places with their folded names, and how far the file was read, in one transaction.
create or replace function location.store(_data integer, _places jsonb, _file text, _lines bigint) returns void
language plpgsql as $$
begin
  insert into svc.place (data_id, id, name, kind, feature, lat, lng, country, region_code, region, district, population, timezone)
    select _data, r.id, r.name, r.kind, r.feature, r.lat, r.lng, r.country, r."regionCode", r.region, r.district,
      r.population, r.timezone
    from jsonb_to_recordset(_places) r(id text, name text, kind text, feature text, lat float8, lng float8, country text,
      "regionCode" text, region text, district text, population bigint, timezone text)
    on conflict do nothing;
  insert into svc.place_name (data_id, place_id, folded, is_main)
    select _data, p ->> 'id', n.folded, n.at = 1
    from jsonb_array_elements(_places) p, jsonb_array_elements_text(p -> 'names') with ordinality n(folded, at)
    on conflict do nothing;
  update svc.place_data set progress = progress || jsonb_build_object(_file, _lines) where id = _data;
end $$;

-- Makes a loaded data set the current one and removes all others.
create or replace function location.activate(_data integer) returns integer language plpgsql as $$
declare
  _count integer;
  _old integer;
begin
  execute format('select count(*) from svc.place_%s', _data) into _count;
  if _count = 0 then
    raise exception 'the data set % has no places', _data;
  end if;
  -- What was stored last waits outside of the index of names, where every search would look through it.
  perform gin_clean_pending_list(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_am a on a.oid = c.relam where i.indrelid = format('svc.place_name_%s', _data)::regclass and a.amname = 'gin';
  update svc.place_data set loaded_at = now() where id = _data;
  insert into svc.place_current (data_id) values (_data) on conflict (only_row) do update set data_id = excluded.data_id;
  for _old in select id from svc.place_data where id <> _data loop
    execute format('drop table if exists svc.place_%s, svc.place_name_%s', _old, _old);
    delete from svc.place_data where id = _old;
  end loop;
  return _count;
end $$;

create or replace function object.record_upload(_key text, _account uuid, _content_type text, _name text, _hours integer)
returns timestamptz language sql as $$
  insert into svc.object (key, account_id, kind, content_type, name, expires_at)
    values (_key, _account, 'upload', _content_type, _name, now() + make_interval(hours => _hours)) returning expires_at
$$;

create or replace function object.read(_account uuid, _key text)
returns table (size_bytes bigint, content_type text, name text, expires_at timestamptz, is_expired boolean)
language sql stable as $$
  select o.size_bytes, o.content_type, o.name, o.expires_at, o.expires_at <= now()
  from svc.object o where o.key = _key and o.account_id = _account and o.kind in ('upload', 'output')
$$;

-- The same for many keys in one round trip.
create or replace function object.read_all(_account uuid, _keys text[])
returns table (key text, size_bytes bigint, content_type text, name text, expires_at timestamptz, is_expired boolean)
language sql stable as $$
  select k, o.* from unnest(_keys) k cross join lateral object.read(_account, k) o
$$;

-- Expired keys, oldest first. Their rows are deleted only after their bytes, so that no file is left without a row.
create or replace function object.list_expired(_limit integer) returns table (key text) language sql stable as $$
  select o.key from svc.object o where o.expires_at <= now() order by o.expires_at limit _limit
$$;

create or replace function object.forget(_keys text[]) returns void language sql as $$
  delete from svc.object where key = any (_keys) and expires_at <= now()
$$;

create or replace function object.record_outputs(_account uuid, _job uuid, _objects json) returns void language sql as $$
  insert into svc.object (key, account_id, kind, job_id, size_bytes, content_type, name, expires_at)
    select o.key, _account, 'output', _job, o.size, o.type, o.name, now() + make_interval(hours => o.hours)
    from json_to_recordset(_objects) as o (key text, size bigint, type text, name text, hours integer)
$$;

-- Deletes the records of outputs that could not be stored.
create or replace function object.drop_outputs(_keys text[]) returns void language sql as $$
  delete from svc.object where key = any (_keys)
$$;

-- Those of the keys that have no record.
create or replace function object.find_unrecorded(_keys text[]) returns table (key text) language sql stable as $$
  select k from unnest(_keys) k where not exists (select from svc.object o where o.key = k)
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists object.expired(integer);

create or replace function object.count_due() returns bigint language sql stable as $$
  select count(*) from svc.object where expires_at <= now()
$$;

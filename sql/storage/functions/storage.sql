-- Records bytes that are about to be stored for a lease. Unless one takes them over, they are removed later.
create or replace function storage.reserve_content(_account uuid, _key text, _type text) returns void language sql as $$
  insert into svc.object (key, account_id, kind, content_type, expires_at)
    values (_key, _account, 'lease', _type, now() + interval '2 hours')
$$;

-- Makes a storage lease that `_job` pays for, of bytes that are stored already.
create or replace function storage.buy(_job json, _fields json, _seconds integer, _content json) returns json
language plpgsql as $$
declare
  _lease svc.lease := lease.prepare(_fields, _seconds);
  _result jsonb;
begin
  _lease.version := 1;
  _result := storage.view(_lease, storage.read_content(_lease.id, _content))::jsonb
    || jsonb_build_object('status', 'created', 'cost_micros', _job ->> 'charge');
  perform job.settle(_job, _result::json);
  perform lease.open(_lease);
  perform storage.put_content(_lease, _content);
  return _result;
end $$;

create or replace function storage.read_content(_id uuid, _content json) returns svc.lease_content language sql immutable as $$
  select row(_id, _content ->> 'key', (_content ->> 'size')::integer, _content ->> 'sha256', _content ->> 'type',
    _content ->> 'filename')::svc.lease_content
$$;

-- Gives a lease stored bytes, in place of those that it has. A read of the former ones may still be under way.
create or replace function storage.put_content(_lease svc.lease, _content json) returns void language plpgsql as $$
begin
  perform storage.drop_contents(array[_lease.id], '10 minutes');
  update svc.object set expires_at = 'infinity', size_bytes = (_content ->> 'size')::bigint
    where key = _content ->> 'key' and kind = 'lease' and expires_at > now();
  if not found then
    raise exception 'INPUT_GONE' using errcode = 'SVC01';
  end if;
  insert into svc.lease_content select (storage.read_content(_lease.id, _content)).*;
end $$;

create or replace function storage.drop_contents(_ids uuid[], _grace interval) returns void language plpgsql as $$
begin
  update svc.object set expires_at = now() + _grace
    where key in (select c.object_key from svc.lease_content c where c.lease_id = any (_ids));
  delete from svc.lease_content where lease_id = any (_ids);
end $$;

create or replace function storage.view(_lease svc.lease, _content svc.lease_content) returns json language sql stable as $$
  select json_build_object('lease_id', lease.format_id('lse_', _lease.id), 'version', _lease.version,
    'size_bytes', _content.size_bytes, 'max_body_bytes', _lease.max_body_bytes, 'sha256', _content.sha256,
    'content_type', _content.content_type, 'filename', _content.filename, 'delete_on_claim', _lease.delete_on_claim,
    'created_at', lease.format_time(_lease.created_at), 'updated_at', lease.format_time(_lease.updated_at),
    'expires_at', lease.format_time(_lease.expires_at))
$$;

create or replace function storage.lock(_account uuid, _id uuid) returns svc.lease language plpgsql as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.id = _id and l.kind = 'storage' for no key update;
  perform lease.require_usable(_lease, _account);
  return _lease;
end $$;

-- Where the bytes of a lease are, and what it shows of itself. Both are from one statement: with two, another write could come
-- between them.
create or replace function storage.read(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _found record;
begin
  select l as lease, c as content into _found from svc.lease l left join svc.lease_content c on c.lease_id = l.id
    where l.id = _id and l.kind = 'storage';
  perform lease.require_usable(_found.lease, _account);
  return json_build_object('key', (_found.content).object_key, 'view', storage.view(_found.lease, _found.content));
end $$;

create or replace function storage.list(_account uuid, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(storage.view(l, c) order by l.created_at desc, l.id), '[]')
  from (select * from svc.lease l where l.account_id = _account and l.kind = 'storage' and l.ended_at is null
      and l.claimed_at is null and l.expires_at > now() order by l.created_at desc, l.id limit _limit offset _offset) l
    join svc.lease_content c on c.lease_id = l.id
$$;

-- Replaces the bytes, if the last version is what the condition says.
create or replace function storage.write(_account uuid, _id uuid, _content json, _condition json) returns json language plpgsql as $$
declare
  _lease svc.lease := storage.lock(_account, _id);
begin
  perform storage.require_version(_lease, _condition);
  update svc.lease set version = version + 1, updated_at = clock_timestamp() where id = _lease.id returning * into _lease;
  perform storage.put_content(_lease, _content);
  return storage.view(_lease, storage.read_content(_lease.id, _content));
end $$;

-- Refuses a change that expects another version than the last one.
create or replace function storage.require_version(_lease svc.lease, _condition json) returns void language sql stable as $$
  select lease.require_version(_lease, c.sha256, _condition) from svc.lease_content c where c.lease_id = _lease.id
$$;

create or replace function storage.remove(_account uuid, _id uuid, _condition json) returns void language plpgsql as $$
declare
  _lease svc.lease := storage.lock(_account, _id);
begin
  perform storage.require_version(_lease, _condition);
  perform lease.finish(array[_lease.id], true);
end $$;

-- The stored files of leases with their hashes.
create or replace function storage.list_contents() returns table (key text, sha256 text) language sql stable as $$
  select c.object_key, c.sha256 from svc.lease_content c
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists storage.write(uuid, uuid, json, integer, text), storage.remove(uuid, uuid);

drop function if exists storage.find(uuid, uuid, boolean);

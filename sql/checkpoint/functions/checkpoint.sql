-- Makes a checkpoint with its first version, which `_job` pays for. Of two with the same live workflow id, the second is refused
-- and costs nothing.
create or replace function checkpoint.buy(_job json, _fields json, _seconds integer, _body bytea) returns json
language plpgsql as $$
declare
  _lease svc.lease := lease.prepare(_fields, _seconds);
  _live svc.lease;
  _result jsonb;
begin
  _lease.version := 1;
  _result := jsonb_build_object('status', 'created', 'workflow_id', _lease.workflow_id,
    'lease_id', lease.format_id('lse_', _lease.id), 'version', 1, 'expires_at', lease.format_time(_lease.expires_at),
    'max_body_bytes', _lease.max_body_bytes, 'size_bytes', octet_length(_body), 'cost_micros', _job ->> 'charge',
    'sha256', lease.format_sha256(_body));
  perform job.settle(_job, _result::json);
  -- The charge has locked the account, so no other call creates one of its checkpoints meanwhile.
  select * into _live from svc.lease l where l.account_id = _lease.account_id and l.workflow_id = _lease.workflow_id
    and l.ended_at is null for no key update;
  if _live.expires_at > now() then
    raise exception 'WORKFLOW_ID_IN_USE' using errcode = 'SVC01', detail = json_build_object(
      'lease_id', lease.format_id('lse_', _live.id), 'expires_at', lease.format_time(_live.expires_at))::text;
  elsif _live.id is not null then
    perform lease.finish(array[_live.id], false);
  end if;
  perform lease.open(_lease);
  insert into svc.checkpoint_version (lease_id, version, body, content_type)
    values (_lease.id, 1, _body, _fields ->> 'content_type');
  return _result;
end $$;

-- The newest lease of this name. Names belong to an account: another account's checkpoint of the same name is another one.
create or replace function checkpoint.find(_account uuid, _workflow text) returns svc.lease language plpgsql stable as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.account_id = _account and l.workflow_id = _workflow
    order by l.created_at desc, l.ended_at desc nulls first limit 1;
  perform lease.require_usable(_lease, _account);
  return _lease;
end $$;

-- The same, locked until the end of the transaction and as it is once it is locked.
create or replace function checkpoint.lock(_account uuid, _workflow text) returns svc.lease language plpgsql as $$
declare
  _lease svc.lease := checkpoint.find(_account, _workflow);
begin
  select * into _lease from svc.lease where id = _lease.id for no key update;
  perform lease.require_usable(_lease, _account);
  return _lease;
end $$;

-- One version of a checkpoint; without a number the last one.
create or replace function checkpoint.load(_account uuid, _workflow text, _version integer)
returns table (body bytea, version integer, sha256 text, content_type text, updated_at timestamptz, expires_at timestamptz)
language plpgsql stable as $$
declare
  _lease svc.lease := checkpoint.find(_account, _workflow);
begin
  return query select v.body, v.version, lease.format_sha256(v.body), coalesce(v.content_type, 'application/json'),
      v.created_at, _lease.expires_at
    from svc.checkpoint_version v where v.lease_id = _lease.id and v.version = coalesce(_version, _lease.version);
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01', detail = json_build_object('current_version', _lease.version)::text;
  end if;
end $$;

-- Writes the next version, if the last one is what the condition says. A repeat under the same key writes nothing.
create or replace function checkpoint.write(_account uuid, _workflow text, _body bytea, _condition json, _key text, _keep integer,
  _type text) returns json language plpgsql as $$
declare
  _lease svc.lease := checkpoint.lock(_account, _workflow);
  _made svc.checkpoint_version;
begin
  select * into _made from svc.checkpoint_version v where v.lease_id = _lease.id and v.idempotency_key = _key;
  if found then
    if _made.body <> _body then
      raise exception 'IDEMPOTENCY_CONFLICT' using errcode = 'SVC01';
    end if;
    return checkpoint.view_version(_lease, _made)::jsonb || '{"is_replay": true}';
  end if;
  if octet_length(_body) > _lease.max_body_bytes then
    raise exception 'BODY_TOO_LARGE' using errcode = 'SVC01',
      detail = json_build_object('max_body_bytes', _lease.max_body_bytes)::text;
  end if;
  perform checkpoint.require_version(_lease, _condition);
  update svc.lease set version = version + 1, updated_at = clock_timestamp() where id = _lease.id returning * into _lease;
  insert into svc.checkpoint_version (lease_id, version, body, idempotency_key, created_at, content_type)
    values (_lease.id, _lease.version, _body, _key, _lease.updated_at, _type) returning * into _made;
  delete from svc.checkpoint_version v where v.lease_id = _lease.id and v.version <= _lease.version - _keep;
  return checkpoint.view_version(_lease, _made);
end $$;

-- Refuses a change that expects another version than the last one.
create or replace function checkpoint.require_version(_lease svc.lease, _condition json) returns void language sql stable as $$
  select lease.require_version(_lease, lease.format_sha256(v.body), _condition)
  from svc.checkpoint_version v where v.lease_id = _lease.id and v.version = _lease.version
$$;

create or replace function checkpoint.view_version(_lease svc.lease, _version svc.checkpoint_version) returns json
language sql stable as $$
  select json_build_object('workflow_id', _lease.workflow_id, 'version', _version.version,
    'size_bytes', octet_length(_version.body), 'updated_at', lease.format_time(_version.created_at),
    'sha256', lease.format_sha256(_version.body), 'expires_at', lease.format_time(_lease.expires_at))
$$;

create or replace function checkpoint.list_versions(_account uuid, _workflow text, _limit integer) returns json
language plpgsql stable as $$
declare
  _lease svc.lease := checkpoint.find(_account, _workflow);
begin
  return (select json_agg(checkpoint.view_version(_lease, v) order by v.version desc) from (
    select * from svc.checkpoint_version v where v.lease_id = _lease.id order by v.version desc limit _limit) v);
end $$;

create or replace function checkpoint.remove(_account uuid, _workflow text, _condition json) returns void language plpgsql as $$
declare
  _lease svc.lease := checkpoint.lock(_account, _workflow);
begin
  perform checkpoint.require_version(_lease, _condition);
  perform lease.finish(array[_lease.id], true);
end $$;

-- The live checkpoints of an account, newest first.
create or replace function checkpoint.list(_account uuid, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(json_build_object('workflow_id', l.workflow_id, 'lease_id', lease.format_id('lse_', l.id),
    'version', l.version, 'max_body_bytes', l.max_body_bytes, 'created_at', lease.format_time(l.created_at),
    'updated_at', lease.format_time(l.updated_at), 'expires_at', lease.format_time(l.expires_at))
    order by l.created_at desc, l.id), '[]')
  from (select * from svc.lease l where l.account_id = _account and l.kind = 'checkpoint' and l.ended_at is null
    and l.expires_at > now() order by l.created_at desc, l.id limit _limit offset _offset) l
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists lease.read_checkpoint(uuid, text, integer),
--   checkpoint.write(uuid, text, bytea, integer, text, text, integer), checkpoint.remove(uuid, text),
--   checkpoint.write(uuid, text, bytea, integer, text, text, integer, text);

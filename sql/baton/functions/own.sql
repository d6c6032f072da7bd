-- What the owner of a baton does with it.
create or replace function baton.read_meta(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
begin
  perform baton.require_adopted(_visit.baton, _by);
  return baton.show_meta(_visit.baton);
end $$;

create or replace function baton.update_meta(_by json, _change jsonb) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  update svc.baton b set
    name = case when _change ? 'name' then _change ->> 'name' else b.name end,
    description = case when _change ? 'description' then _change ->> 'description' else b.description end,
    schema_ref = case when _change ? 'schemaRef' then _change ->> 'schemaRef' else b.schema_ref end,
    tags = case when _change ? 'tags' then baton.read_list((_change -> 'tags')::json) else b.tags end,
    acl = case when _change ? 'acl' then _change -> 'acl' else b.acl end,
    max_reads_per_minute = case when _change ? 'rateLimits' then (_change #>> '{rateLimits,readsPerMinute}')::integer
      else b.max_reads_per_minute end,
    max_writes_per_minute = case when _change ? 'rateLimits' then (_change #>> '{rateLimits,writesPerMinute}')::integer
      else b.max_writes_per_minute end
    where b.id = _baton.id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer, details) values (_baton.id, 'updated', 'owner',
    (select json_agg(key) from jsonb_object_keys(_change) key));
  return baton.show_meta(_baton);
end $$;

create or replace function baton.delete(_by json, _condition json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  if _condition::jsonb <> '{}' then
    perform baton.require_adopted(_baton, _by);
    perform baton.require_version(_baton, _condition);
  end if;
  update svc.baton set deleted_at = clock_timestamp(), deletion = 'owner',
    purge_at = baton.find_purge_time(on_expiration, now()) where id = _baton.id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer) values (_baton.id, 'deleted', 'owner');
  perform baton.wake_tails(_baton);
  return json_build_object('id', _baton.id, 'deletedAt', _baton.deleted_at);
end $$;

-- Processes of the deploy before this one call it without a condition; the next deploy drops it.
create or replace function baton.delete(_by json) returns json language sql as $$
  select baton.delete(_by, '{}')
$$;

create or replace function baton.mint_token(_by json, _token json, _max integer) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  if (select count(*) from svc.baton_token t where t.baton_id = _baton.id) >= _max then
    perform baton.refuse('TOO_MANY_TOKENS', json_build_object('limit', _max));
  end if;
  perform baton.insert_token(_baton.id, _token);
  insert into svc.baton_log (baton_id, type, writer, details)
    values (_baton.id, 'token.minted', 'owner', json_build_object('token_id', _token ->> 'id'));
  return (select baton.show_token(t) from svc.baton_token t where t.hash = decode(_token ->> 'hash', 'hex'));
end $$;

create or replace function baton.list_tokens(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  return (select coalesce(json_agg(baton.show_token(t) order by t.created_at, t.id), '[]')
    from svc.baton_token t where t.baton_id = _baton.id);
end $$;

create or replace function baton.list_triggers(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  return (select coalesce(json_agg(webhook.view(e) order by e.created_at, e.id), '[]')
    from svc.webhook_endpoint e where e.target_id = _baton.id and e.deleted_at is null);
end $$;

-- Changes or revokes a token. A cap may not be set below what is used already.
create or replace function baton.change_token(_by json, _hash bytea, _change jsonb) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
  _former svc.baton_token;
  _token svc.baton_token;
  _ends_reads boolean;
begin
  select * into _former from svc.baton_token where hash = _hash and baton_id = _baton.id;
  if not found then
    perform baton.refuse('NOT_FOUND');
  end if;
  if (_change ->> 'reads')::integer < _former.reads_used or (_change ->> 'writes')::integer < _former.writes_used then
    perform baton.refuse('INVALID_FIELD', json_build_object('reason', 'More than this is used already.',
      'readsUsed', _former.reads_used, 'writesUsed', _former.writes_used));
  end if;
  update svc.baton_token t set
    max_reads = case when _change ? 'reads' then (_change ->> 'reads')::integer else t.max_reads end,
    max_writes = case when _change ? 'writes' then (_change ->> 'writes')::integer else t.max_writes end,
    expires_at = case when _change ? 'expiresAt' then (_change ->> 'expiresAt')::timestamptz else t.expires_at end,
    ip_allow = case when _change ? 'ipAllow' then baton.read_list((_change -> 'ipAllow')::json)::inet[] else t.ip_allow end,
    revoked_at = case when (_change ->> 'revoke')::boolean then coalesce(t.revoked_at, now()) else t.revoked_at end
    where t.hash = _hash returning * into _token;
  insert into svc.baton_log (baton_id, type, writer, details) values (_baton.id,
    case when _token.revoked_at is null then 'token.changed' else 'token.revoked' end, 'owner',
    json_build_object('token_id', _token.id));
  _ends_reads := _token.reads_used = _token.max_reads and _former.max_reads is distinct from _token.max_reads;
  if _ends_reads then
    perform baton.note_exhausted(_baton, _token, 'read', 'owner');
  end if;
  if _token.writes_used = _token.max_writes and _former.max_writes is distinct from _token.max_writes then
    perform baton.note_exhausted(_baton, _token, 'write', 'owner');
  end if;
  -- The others may have been used up before.
  if (_ends_reads or _baton.burns and (_token.revoked_at is not null or _token.expires_at <= clock_timestamp()))
    and exists (select from svc.baton_token t where t.baton_id = _baton.id and t.type <> 'write' and t.reads_used > 0
      and t.reads_used = t.max_reads) then
    perform baton.end_tokens(_baton, 'owner');
  end if;
  perform baton.wake_tails(_baton);
  return baton.show_token(_token);
end $$;

-- Revokes a token that is known by its id alone, as it is shown to the owner.
create or replace function baton.revoke_token(_by json, _id uuid) returns json language plpgsql as $$
declare
  _hash bytea := (select hash from svc.baton_token where id = _id and baton_id = (_by ->> 'baton')::uuid);
begin
  if _hash is null then
    perform baton.refuse('NOT_FOUND');
  end if;
  return baton.change_token(_by, _hash, '{"revoke": true}');
end $$;

-- Removes the content of batons that are over, some at a time. What is in the object store is removed after its record expires.
-- What has still to be sealed waits for that, for a day at most, and a log for those who read it, for an hour at most.
create or replace function baton.purge(_limit integer) returns integer language plpgsql as $$
declare
  _due uuid[];
  _ids uuid[];
begin
  _due := array(select id from svc.baton b where purge_at <= now()
      and (coalesce(read_until, '-infinity') <= now() or purge_at < now() - interval '1 hour')
      and not (witness.is_due(b) and purge_at > now() - interval '1 day')
    order by purge_at limit _limit for no key update);
  -- One with very many vectors takes several rounds.
  _ids := array(select unnest(_due) except select unnest(vector.purge(_due, 100000)));
  update svc.object o set expires_at = baton.find_removal_time(o.key, '0')
    where o.key in (select e.object_key from svc.baton_entry e where e.baton_id = any (_ids) and e.object_key is not null);
  perform baton.forget_upload(b) from svc.baton b where b.id = any (_ids) and b.upload_key is not null;
  delete from svc.baton_entry where baton_id = any (_ids);
  delete from svc.baton_write where created_at < now() - interval '24 hours' or baton_id = any (_ids);
  -- Events that are queued are still delivered.
  update svc.webhook_endpoint set deleted_at = now() where target_id = any (_ids) and deleted_at is null;
  update svc.baton set purge_at = null, stored_bytes = 0 where id = any (_ids);
  insert into svc.baton_log (baton_id, type, writer) select id, 'purged', 'service' from unnest(_ids) id;
  delete from svc.baton_draw where until < now();
  return cardinality(_due);
end $$;

create or replace function baton.is_log(_baton svc.baton) returns boolean language sql immutable as $$
  select _baton.behaviour in ('append', 'chained')
$$;

create or replace function baton.show(_baton svc.baton) returns json language sql stable as $$
  select json_build_object('id', _baton.id, 'preset', _baton.preset, 'tier', _baton.tier, 'behaviour', _baton.behaviour,
    'sizeBytes', _baton.size_bytes::text, 'egressBytes', _baton.egress_bytes::text, 'maxWrites', _baton.max_writes,
    'maxReads', _baton.max_reads, 'createdAt', _baton.created_at, 'expiresAt', _baton.expires_at)
$$;

-- All that an owner may know, and what is left of the quotas.
create or replace function baton.show_meta(_baton svc.baton) returns json language sql stable as $$
  select (baton.show(_baton)::jsonb || jsonb_build_object('name', _baton.name, 'description', _baton.description,
    'tags', _baton.tags, 'contentType', _baton.content_type, 'acl', _baton.acl, 'schemaRef', _baton.schema_ref,
    'onExpiration', _baton.on_expiration, 'deleteOnAllTokensConsumed', _baton.burns,
    'flags', jsonb_build_object('hashChaining', _baton.behaviour = 'chained', 'witness', _baton.witness_prepaid),
    'witnessedAt', _baton.witnessed_at,
    'rateLimits', jsonb_strip_nulls(jsonb_build_object('readsPerMinute', _baton.max_reads_per_minute,
      'writesPerMinute', _baton.max_writes_per_minute)),
    'entries', _baton.entry_count, 'storedBytes', _baton.stored_bytes::text, 'chainHead', encode(_baton.chain_head, 'hex'),
    'quote', _baton.quote::jsonb, 'quotas', baton.show_quotas(_baton)::jsonb)
    || case when _baton.behaviour = 'vectors' then jsonb_build_object('vector', vector.show(_baton.id)) else '{}' end)::json
$$;

-- In plpgsql, because the plan of an SQL function that cannot be inlined is made anew by every transaction.
create or replace function baton.show_quotas(_baton svc.baton) returns json language plpgsql stable as $$
begin
  return json_build_object('egressBytesLeft', (_baton.egress_bytes - _baton.egress_used)::text,
    'readsLeft', _baton.max_reads - _baton.reads_used, 'writesLeft', _baton.max_writes - _baton.writes_used,
    'sizeBytesLeft', (_baton.size_bytes - _baton.stored_bytes)::text,
    'warnings', array_remove(array[
      case when (_baton.egress_bytes - _baton.egress_used) * 10 <= _baton.egress_bytes then 'low_egress' end,
      case when _baton.expires_at - clock_timestamp() <= (_baton.expires_at - _baton.created_at) / 10 then 'low_time' end,
      case when (_baton.max_writes - _baton.writes_used) * 10 <= _baton.max_writes then 'low_writes' end], null));
end $$;

create or replace function baton.show_entry(_entry svc.baton_entry) returns json language plpgsql stable as $$
begin
  return json_strip_nulls(json_build_object('seq', _entry.seq, 'createdAt', baton.format_time(_entry.created_at),
    'writer', _entry.writer, 'contentType', _entry.content_type, 'sizeBytes', _entry.size_bytes,
    'sha256', encode(_entry.sha256, 'hex'), 'prev', encode(_entry.prev, 'hex'), 'hash', encode(_entry.hash, 'hex')));
end $$;

create or replace function baton.show_token(_token svc.baton_token) returns json language sql stable as $$
  select json_build_object('writer', 'token:' || _token.id, 'tokenId', _token.id, 'type', _token.type,
    'readsAllowed', _token.max_reads, 'writesAllowed', _token.max_writes, 'readsUsed', _token.reads_used,
    'writesUsed', _token.writes_used, 'expiresAt', _token.expires_at, 'requireFingerprint', _token.needs_fingerprint,
    'ipAllowList', _token.ip_allow, 'state', case when _token.revoked_at is not null then 'revoked'
      when _token.expires_at <= clock_timestamp() then 'expired'
      when (_token.type = 'write' or _token.reads_used >= _token.max_reads)
        and (_token.type = 'read' or _token.writes_used >= _token.max_writes) then 'exhausted' else 'active' end,
    'createdAt', _token.created_at)
$$;

-- Lists every violated rule of the batons.
create or replace function baton.check_invariants() returns table (rule text, subject text, detail text) language sql stable as $$
  select 'the terms of a baton are known', b.id::text, b.behaviour || ' ' || b.on_expiration from svc.baton b
    where b.behaviour not in ('single', 'append', 'chained', 'overwrite', 'vectors') or b.deletion not in ('owner', 'burned', 'forgotten')
      or b.on_expiration not in ('hard_delete', 'tombstone_then_delete')
      or least(b.size_bytes - 1, b.egress_bytes, b.max_reads, b.max_writes) < 0
      or least(b.stored_bytes, b.egress_used, b.reads_used, b.writes_used) < 0
  union all
  select 'a baton is paid for', b.id::text, coalesce(j.status::text, 'no job')
    from svc.baton b left join svc.job j on j.id = b.job_id
    where j.status is distinct from 'succeeded' and b.created_at > now() - interval '1 day'
  union all
  select 'stored bytes are those of the entries', b.id::text, format('%s is not %s', b.stored_bytes, e.size)
    from svc.baton b join lateral (select coalesce(sum(size_bytes), 0)
        + (select coalesce(sum(size_bytes), 0) from svc.vector where baton_id = b.id) as size, coalesce(max(seq), 0) as last
      from svc.baton_entry where baton_id = b.id) e on true
    where b.purge_at is not null and (b.stored_bytes <> e.size or b.entry_count <> e.last)
  union all
  select * from vector.check_invariants()
  union all
  select 'reads of tokens are reads of their baton', b.id::text, format('%s of %s', t.used, b.reads_used)
    from svc.baton b join (select baton_id, sum(reads_used) as used from svc.baton_token group by baton_id) t on t.baton_id = b.id
    where t.used > b.reads_used
  union all
  select 'a stored entry has its object', e.object_key, e.baton_id::text
    from svc.baton_entry e left join svc.object o on o.key = e.object_key
    where e.object_key is not null and o.expires_at is distinct from 'infinity'
  union all
  select 'a chain is linked', e.baton_id::text, e.seq::text
    from svc.baton_entry e join svc.baton b on b.id = e.baton_id
      left join svc.baton_entry p on p.baton_id = e.baton_id and p.seq = e.seq - 1
    where e.hash is not null and (e.hash <> baton.hash_entry(e)
      or e.prev is distinct from coalesce(p.hash, baton.hash_origin(b.id, b.created_at)))
  union all
  select 'a frozen baton is as its record says', b.id::text, coalesce(w.statement::text, 'no record')
    from svc.baton b left join svc.witness w on w.baton_id = b.id
    where b.witnessed_at is not null and b.purge_at is not null and (w.baton_id is null
      or w.statement ->> 'chain_head' is distinct from encode(b.chain_head, 'hex')
      or (w.statement ->> 'size')::bigint <> b.stored_bytes)
$$;

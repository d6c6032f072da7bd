-- Another name of job.settle.
create or replace function baton.settle(_job json, _result json) returns void language sql as $$
  select job.settle(_job, _result)
$$;

-- Creates a baton that is paid for, with its first content, its tokens and its triggers: all of it or nothing.
create or replace function baton.create(_job json, _spec json, _content bytea, _result json) returns void language plpgsql as $$
begin
  perform baton.settle(_job, _result);
  perform baton.insert_new((_job ->> 'account')::uuid, (_job ->> 'id')::uuid, _spec, _content);
end $$;

create or replace function baton.insert_new(_account uuid, _job uuid, _spec json, _content bytea) returns void
language plpgsql as $$
declare
  _baton svc.baton;
  _created timestamptz := (_spec ->> 'createdAt')::timestamptz;
  _expires timestamptz := (_spec ->> 'expiresAt')::timestamptz;
  _id uuid := (_spec ->> 'id')::uuid;
begin
  insert into svc.baton (id, account_id, job_id, preset, tier, behaviour, size_bytes, egress_bytes, max_writes, max_reads,
      chain_head, content_type, name, description, tags, acl, schema_ref, on_expiration, burns, max_reads_per_minute,
      max_writes_per_minute, quote, witness_prepaid, upload_key, upload_until, created_at, expires_at, purge_at)
    values (_id, _account, _job, _spec ->> 'preset', _spec ->> 'tier', _spec ->> 'behaviour',
      (_spec ->> 'sizeBytes')::bigint, (_spec ->> 'egressBytes')::bigint, (_spec ->> 'writes')::bigint,
      (_spec ->> 'reads')::bigint,
      case when _spec ->> 'behaviour' = 'chained' then baton.hash_origin(_id, _created) end,
      _spec ->> 'contentType', _spec ->> 'name', _spec ->> 'description', baton.read_list(_spec -> 'tags'),
      coalesce((_spec ->> 'acl')::jsonb, '{}'), _spec ->> 'schemaRef', _spec ->> 'onExpiration', (_spec ->> 'burns')::boolean,
      (_spec #>> '{rateLimits,readsPerMinute}')::integer, (_spec #>> '{rateLimits,writesPerMinute}')::integer, _spec -> 'quote',
      (_spec ->> 'hasWitness')::boolean, _spec ->> 'uploadKey', (_spec ->> 'uploadUntil')::timestamptz, _created, _expires,
      baton.find_purge_time(_spec ->> 'onExpiration', _expires))
    returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer) values (_id, 'created', 'owner');
  if _spec -> 'vector' is not null then
    insert into svc.vector_index (baton_id, metric, dimensions, model) values (_id, _spec #>> '{vector,metric}',
      (_spec #>> '{vector,dimensions}')::integer, _spec #>> '{vector,model}');
  end if;
  if _spec ->> 'written' is not null then
    perform baton.put_entry(_baton, 'owner', _content, _spec -> 'written');
  end if;
  perform baton.insert_token(_id, t) from json_array_elements(_spec -> 'tokens') t;
  perform webhook.register((e ->> 'id')::uuid, _baton.account_id, _id, e ->> 'url', baton.read_list(e -> 'events'),
    e ->> 'description', e ->> 'secret', 100) from json_array_elements(_spec -> 'triggers') e;
end $$;

create or replace function baton.read_list(_list json) returns text[] language sql immutable as $$
  select coalesce(array_agg(value order by place), '{}')
  from json_array_elements_text(coalesce(_list, '[]')) with ordinality as l (value, place)
$$;

-- When the content is removed: at the end, or after a week in which only its owner sees that there was something.
create or replace function baton.find_purge_time(_on_expiration text, _end timestamptz) returns timestamptz
language sql immutable as $$
  select _end + case when _on_expiration = 'hard_delete' then interval '0' else interval '7 days' end
$$;

create or replace function baton.insert_token(_baton uuid, _token json) returns void language sql as $$
  insert into svc.baton_token (hash, id, baton_id, type, max_reads, max_writes, expires_at, needs_fingerprint, ip_allow)
    values (decode(_token ->> 'hash', 'hex'), (_token ->> 'id')::uuid, _baton, _token ->> 'type',
      (_token ->> 'reads')::integer, (_token ->> 'writes')::integer, (_token ->> 'expiresAt')::timestamptz,
      (_token ->> 'needsFingerprint')::boolean, baton.read_list(_token -> 'ipAllow')::inet[])
$$;

-- What a price of an extension follows from. Anyone who knows the id may ask, because the price is told before it is paid.
create or replace function baton.read_terms(_id uuid) returns json language sql stable as $$
  select json_build_object('accountId', b.account_id, 'sizeBytes', b.size_bytes::text, 'egressBytes', b.egress_bytes::text,
    'remainingSeconds', ceil(extract(epoch from b.expires_at - clock_timestamp()))::bigint::text,
    'writes', b.max_writes::text, 'reads', b.max_reads::text, 'version', b.terms_version,
    'behaviour', b.behaviour, 'isActive', b.deleted_at is null and b.expires_at > clock_timestamp(),
    'isWitnessFree', b.witness_prepaid or b.witnessed_at is not null)
  from svc.baton b where b.id = _id
$$;

-- Adds to what was paid for. The price holds for one version of the terms.
create or replace function baton.extend(_job json, _id uuid, _addition json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(json_build_object('baton', _id, 'account', _job ->> 'account'), 'own');
  _baton svc.baton := _visit.baton;
  _result json;
begin
  if _baton.terms_version <> (_addition ->> 'version')::integer then
    perform baton.refuse('VERSION_CONFLICT');
  end if;
  update svc.baton b set terms_version = b.terms_version + 1,
    tier = coalesce(_addition ->> 'tier', b.tier),
    size_bytes = b.size_bytes + (_addition ->> 'sizeBytes')::bigint,
    egress_bytes = b.egress_bytes + (_addition ->> 'egressBytes')::bigint,
    max_writes = b.max_writes + (_addition ->> 'writes')::bigint,
    max_reads = b.max_reads + (_addition ->> 'reads')::bigint,
    expires_at = b.expires_at + make_interval(secs => (_addition ->> 'durationSeconds')::double precision),
    purge_at = baton.find_purge_time(b.on_expiration,
      b.expires_at + make_interval(secs => (_addition ->> 'durationSeconds')::double precision))
    where b.id = _id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer, details) values (_id, 'extended', 'owner', _addition);
  _result := baton.show(_baton);
  perform baton.settle(_job, _result);
  return _result;
end $$;

-- Begins a verification that `_job` pays for. With images of the caller's own, they are read at once.
create or replace function idverify.create(_job json, _fields json, _images json, _max_open integer) returns json
language plpgsql as $$
declare
  _row svc.idverify := json_populate_record(null::svc.idverify, _fields);
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('idverify ' || _row.account_id, 0));
  if _max_open <= (select count(*) from svc.idverify v where v.account_id = _row.account_id
      and v.state in ('created', 'started', 'processing')) then
    raise exception 'TOO_MANY_VERIFICATIONS' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  insert into svc.idverify (id, account_id, job_id, charge_micros, type, reference_id, metadata, subject, terms, redirect_url,
      locale, token_hash, challenge, max_attempts, typed_zone, retention_days, expires_at, provider)
    values (_row.id, _row.account_id, (_job ->> 'id')::uuid, (_job ->> 'charge')::bigint, _row.type, _row.reference_id,
      _row.metadata, _row.subject, _row.terms, _row.redirect_url, _row.locale, _row.token_hash, _row.challenge,
      _row.max_attempts, _row.typed_zone, _row.retention_days, _row.expires_at, _row.provider) returning * into _row;
  perform step.queue('idverify.expire', json_build_object('id', _row.id), _row.expires_at, _row.id::text);
  if json_array_length(_images) > 0 then
    perform idverify.move(_row.id, 'started', 'owner', '{}');
    perform idverify.take_images(_row.id, _images);
  end if;
  _result := idverify.show(v, false) from svc.idverify v where v.id = _row.id;
  perform job.settle(_job, _result);
  return _result;
end $$;

-- Moves a verification to a state, with the event that is declared for it, and wakes who waits for a change.
create or replace function idverify.move(_id uuid, _to text, _actor text, _detail jsonb) returns svc.idverify
language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id;
  perform transition.move('svc.idverify', _id, _to, _actor, idverify.describe_event(_row, _to) || _detail);
  update svc.idverify set updated_at = clock_timestamp(),
      purge_at = case when _to in ('completed', 'failed', 'expired', 'cancelled')
        then clock_timestamp() + make_interval(days => retention_days) end
    where id = _id returning * into _row;
  if _row.purge_at is not null then
    perform step.queue('idverify.purge', json_build_object('id', _id), _row.purge_at, _id::text);
  end if;
  if _to in ('failed', 'expired', 'cancelled') or (_to = 'completed' and _row.reviewed_by = 'operator') then
    perform idverify.leave_provider(_row, false);
  end if;
  perform pg_notify('long_polls', 'idverify ' || _id);
  return _row;
end $$;

-- What every event of a verification says.
create or replace function idverify.describe_event(_row svc.idverify, _status text) returns jsonb language sql volatile as $$
  select jsonb_build_object('verificationId', idverify.format_id(_row.id), 'referenceId', _row.reference_id, 'status', _status,
    'occurredAt', clock_timestamp())
$$;

create or replace function idverify.format_id(_id uuid) returns text language sql immutable as $$
  select 'idv_' || replace(_id::text, '-', '')
$$;

-- The record as its owner sees it; the number of the document is masked unless it is asked for.
create or replace function idverify.show(_row svc.idverify, _reveals boolean) returns json language sql stable as $$
  select json_build_object('id', idverify.format_id(_row.id), 'type', _row.type, 'status', _row.state, 'decision', _row.decision,
    'reasonCodes', _row.reason_codes, 'checks', _row.checks,
    'document', case when _reveals or _row.document ->> 'number' is null then _row.document
      else (_row.document::jsonb || jsonb_build_object('number', idverify.mask(_row.document ->> 'number')))::json end,
    'age', _row.age, 'similarity', _row.similarity, 'aml', _row.aml, 'referenceId', _row.reference_id, 'metadata', _row.metadata,
    'attemptsUsed', _row.attempts, 'maxAttempts', _row.max_attempts, 'reading', _row.reading_since is not null,
    'provider', _row.provider, 'polledAt', _row.polled_at, 'reviewedBy', _row.reviewed_by, 'createdAt', _row.created_at, 'updatedAt', _row.updated_at,
    'expiresAt', _row.expires_at, 'purgeAt', _row.purge_at, 'purgedAt', _row.purged_at)
$$;

create or replace function idverify.mask(_number text) returns text language sql immutable as $$
  select repeat('*', greatest(length(_number) - 3, 0)) || right(_number, least(3, greatest(length(_number) - 3, 0)))
$$;

create or replace function idverify.find(_account uuid, _id uuid) returns svc.idverify language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id and account_id = _account for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

create or replace function idverify.read(_account uuid, _id uuid, _reveals boolean) returns json language plpgsql stable as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return idverify.show(_row, _reveals);
end $$;

create or replace function idverify.list(_account uuid, _filter json, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(idverify.show(v, false) order by v.created_at desc, v.id), '[]') from (
    select * from svc.idverify where account_id = _account and (_filter ->> 'status' is null or state = _filter ->> 'status')
      and (_filter ->> 'type' is null or type = _filter ->> 'type')
      and (_filter ->> 'referenceId' is null or reference_id = _filter ->> 'referenceId')
    order by created_at desc, id limit _limit offset _offset) v
$$;

create or replace function idverify.is_over(_state text) returns boolean language sql immutable as $$
  select _state in ('completed', 'failed', 'expired', 'cancelled')
$$;

create or replace function idverify.refuse_if_over(_row svc.idverify) returns void language plpgsql as $$
begin
  if idverify.is_over(_row.state) then
    raise exception 'VERIFICATION_TERMINAL' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
end $$;

create or replace function idverify.cancel(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _row svc.idverify := idverify.find(_account, _id);
begin
  perform idverify.refuse_if_over(_row);
  _row := idverify.move(_id, 'cancelled', 'owner', '{}');
  return idverify.show(_row, false);
end $$;

-- Erases the personal data now and keeps the decision; one that is open is cancelled first.
create or replace function idverify.redact(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _row svc.idverify := idverify.find(_account, _id);
begin
  if not idverify.is_over(_row.state) then
    perform idverify.move(_id, 'cancelled', 'owner', '{}');
  end if;
  perform idverify.purge(_id, 'owner');
  select * into _row from svc.idverify where id = _id;
  return idverify.show(_row, false);
end $$;

-- Forgets what is personal. The images are to be removed at once; what is left of them, a chore removes.
create or replace function idverify.purge(_id uuid, _actor text) returns void language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id and purged_at is null for no key update;
  if not found then
    return;
  end if;
  update svc.object set expires_at = least(expires_at, now())
    where key in (select i.object_key from svc.idverify_image i where i.verification_id = _id
      union all select r.object_key from svc.idverify_report r where r.verification_id = _id);
  delete from svc.idverify_image where verification_id = _id;
  delete from svc.idverify_report where verification_id = _id;
  perform screening.forget_one(_row.account_id, substr(_row.aml ->> 'screeningId', 5)::uuid);
  update svc.idverify set subject = null, document = null, document_hash = null, age = null, similarity = null, aml = null, typed_zone = null,
      metadata = null, session_hash = null, provider_url = null, purged_at = now(), updated_at = now(), reading_since = null,
      checks = (select coalesce(json_agg(json_build_object('name', c ->> 'name', 'result', c ->> 'result', 'detail', null)), '[]')
        from json_array_elements(checks) c)
    where id = _id;
  perform idverify.leave_provider(_row, true);
  perform audit.append('idverify', _id, _row.account_id, _actor, 'purged', '{}');
  perform step.queue('idverify.purge', json_build_object('id', _id), now(), _id::text);
end $$;

-- Whether a verification is one of an account, for another product.
create or replace function idverify.is_of(_account uuid, _id uuid) returns boolean language sql stable as $$
  select exists (select from svc.idverify where id = _id and account_id = _account)
$$;

-- Whether a person has been found to be who they are, for another product of the same account.
create or replace function idverify.is_approved(_account uuid, _id uuid) returns boolean language sql stable as $$
  select exists (select from svc.idverify where id = _id and account_id = _account and decision = 'approved')
$$;

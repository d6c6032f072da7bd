-- What a worker reads; null if that was done, or is no longer wanted.
create or replace function idverify.take_check(_id uuid, _attempt integer) returns json language sql stable as $$
  select json_build_object('id', v.id, 'accountId', v.account_id, 'type', v.type, 'referenceId', v.reference_id, 'subject', v.subject, 'terms', v.terms,
    'typedZone', v.typed_zone, 'attempt', v.attempts, 'isLast', v.attempts >= v.max_attempts,
    'images', (select json_agg(json_build_object('side', i.side, 'key', i.object_key, 'type', i.content_type,
      'size', i.size_bytes) order by i.side) from svc.idverify_image i where i.verification_id = v.id and i.attempt = v.attempts))
  from svc.idverify v where v.id = _id and v.attempts = _attempt and v.state = 'started' and v.reading_since is not null
$$;

-- Whether another person's verification of the account has had the same document. Persons are told apart by their references: without
-- one, what has none may be the same person, so nothing is known.
create or replace function idverify.is_known_document(_id uuid, _hash bytea) returns boolean language sql stable as $$
  select case when count(o.id) > 0 then true when v.reference_id is not null then false end
  from svc.idverify v left join svc.idverify o on o.account_id = v.account_id and o.id <> v.id and o.document_hash = _hash
    and o.reference_id is distinct from v.reference_id
  where v.id = _id group by v.id, v.reference_id
$$;

-- Ends the reading of one attempt: asks for other images, or goes on to a decision, all in one transaction.
create or replace function idverify.finish_check(_id uuid, _attempt integer, _found json, _screening_days integer) returns text language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id for no key update;
  if _row.state is distinct from 'started' or _row.attempts <> _attempt or _row.reading_since is null then
    return 'late';
  end if;
  return idverify.conclude(_row, _found, _screening_days, 'worker');
end $$;

-- Stores what was found, by this service or by a provider, and goes on as it says.
create or replace function idverify.conclude(_row svc.idverify, _found json, _screening_days integer, _actor text) returns text
language plpgsql as $$
declare
  _id uuid := _row.id;
  _outcome text := _found ->> 'outcome';
  _reasons text[] := array(select json_array_elements_text(_found -> 'reasonCodes'));
begin
  update svc.idverify set reading_since = null, updated_at = now(), reason_codes = _reasons, checks = _found -> 'checks',
      document = nullif(_found ->> 'document', '')::json, age = (_found ->> 'age')::integer,
      similarity = (_found ->> 'similarity')::real, document_hash = (_found ->> 'documentHash')::bytea, aml = nullif(_found ->> 'aml', '')::json
    where id = _id returning * into _row;
  if _found ->> 'screening' is not null then
    perform screening.keep_rows(_row.account_id, _row.job_id, json_build_array(_found -> 'screening'), _screening_days);
  end if;
  if _outcome = 'retake' then
    return idverify.ask_again(_row, _reasons);
  elsif _row.state = 'started' then
    _row := idverify.move(_id, 'processing', _actor, (_found -> 'read')::jsonb);
    if _found ->> 'ageCheck' is not null then
      perform webhook.emit(array[row(_row.account_id, null, 'verification.age_check', _id,
        (idverify.describe_event(_row, 'processing') || (_found -> 'ageCheck')::jsonb)::json)::svc.webhook_emission]);
    end if;
  end if;
  if _outcome in ('approved', 'declined') then
    update svc.idverify set decision = _outcome, reviewed_by = case when _actor = 'provider' then _actor end where id = _id;
    perform idverify.move(_id, 'completed', _actor, jsonb_build_object('decision', _outcome, 'reasonCodes', _reasons,
      'aml', _row.aml ->> 'status'));
  elsif _row.state = 'processing' then
    perform idverify.move(_id, 'manual_review', _actor, jsonb_build_object('reasonCodes', _reasons));
  end if;
  return _outcome;
end $$;

-- Other images are asked for while there are attempts; after the last one the verification has failed.
create or replace function idverify.ask_again(_row svc.idverify, _reasons text[]) returns text language plpgsql as $$
begin
  if _row.attempts >= _row.max_attempts then
    perform idverify.move(_row.id, 'failed', 'worker', jsonb_build_object('reasonCodes', _reasons));
    return 'failed';
  end if;
  perform audit.append('idverify', _row.id, _row.account_id, 'worker', 'images_refused', jsonb_build_object('reasonCodes', _reasons));
  perform pg_notify('long_polls', 'idverify ' || _row.id);
  return 'retake';
end $$;

-- The step: ends one that was not used in time. Of one that was never opened, most of the price is given back.
create or replace function idverify.expire_when_due(_id uuid, _refund_percent integer) returns void language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id and state in ('created', 'started') for no key update;
  if not found then
    return;
  elsif _row.provider_ref is not null and _row.expires_at < now() - interval '1 day' then
    perform idverify.give_up(_row);
    return;
  elsif _row.expires_at > now() or _row.reading_since is not null then
    perform step.queue('idverify.expire', json_build_object('id', _id), greatest(_row.expires_at, now() + interval '10 minutes'),
      _id::text);
    return;
  end if;
  if _row.state = 'created' then
    perform ledger.refund(_row.job_id, _row.charge_micros * _refund_percent / 100);
  end if;
  perform idverify.move(_id, 'expired', 'clock', '{}');
end $$;

-- The step: forgets what is personal once its time is over. Returns the keys of images whose bytes are to be removed.
create or replace function idverify.purge_when_due(_id uuid) returns json language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id;
  if _row.purge_at > now() and _row.purged_at is null then
    perform step.queue('idverify.purge', json_build_object('id', _id), _row.purge_at, _id::text);
    return '[]';
  end if;
  if _row.purge_at is not null then
    perform idverify.purge(_id, 'clock');
  end if;
  return (select coalesce(json_agg(o.key), '[]') from svc.object o
    where o.key like 'identity/' || _id || '/%' and o.expires_at <= now());
end $$;

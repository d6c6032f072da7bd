-- Decision 0470: let providers verify, and ask them again.

-- Notes the session that was begun at the provider for a person. Of two that were begun at once, the first one counts.
create or replace function idverify.join_provider(_token bytea, _session bytea, _reference text, _url text) returns json
language plpgsql as $$
declare
  _row svc.idverify := idverify.find_session(_token, _session);
begin
  perform idverify.refuse_if_over(_row);
  if _row.provider_ref is null then
    update svc.idverify set provider_ref = _reference, provider_url = _url where id = _row.id;
    perform idverify.queue_poll(_row.id, now() + interval '1 minute');
  end if;
  return idverify.read_session(_token, _session);
end $$;

create or replace function idverify.queue_poll(_id uuid, _at timestamptz) returns void language sql as $$
  select step.queue('idverify.poll', json_build_object('id', _id), _at, _id::text)
$$;

-- A message of the provider says that something has changed. What it says is not believed: the provider is asked.
create or replace function idverify.note_message(_provider text, _reference text) returns boolean language plpgsql as $$
declare
  _id uuid;
begin
  select id into _id from svc.idverify
    where provider = _provider and provider_ref = _reference and not idverify.is_over(state);
  if _id is not null then
    perform idverify.queue_poll(_id, now());
  end if;
  return _id is not null;
end $$;

-- Asks the provider now, unless that was done some seconds ago. Returns whether it is asked.
create or replace function idverify.request_poll(_account uuid, _id uuid, _seconds integer) returns boolean language plpgsql as $$
begin
  perform from svc.idverify where id = _id and account_id = _account and provider_ref is not null
    and not idverify.is_over(state) and coalesce(polled_at, '-infinity') < now() - make_interval(secs => _seconds);
  if found then
    perform idverify.queue_poll(_id, now());
  end if;
  return found;
end $$;

-- What a worker asks a provider for; null if that is no longer wanted.
create or replace function idverify.take_poll(_id uuid) returns json language sql stable as $$
  select json_build_object('id', v.id, 'accountId', v.account_id, 'type', v.type, 'referenceId', v.reference_id,
    'subject', v.subject, 'terms', v.terms, 'provider', v.provider, 'reference', v.provider_ref)
  from svc.idverify v where v.id = _id and v.provider_ref is not null and v.state in ('started', 'manual_review')
$$;

-- Records what the provider has answered, and asks again later while nothing is decided.
create or replace function idverify.record_result(_id uuid, _found json, _screening_days integer) returns text language plpgsql as $$
declare
  _row svc.idverify;
  _outcome text := _found ->> 'outcome';
begin
  select * into _row from svc.idverify where id = _id for no key update;
  if _row.state is null or _row.state not in ('started', 'manual_review') then
    return 'late';
  end if;
  update svc.idverify set polled_at = clock_timestamp(), reading_since = case when _outcome = 'processing'
    then coalesce(reading_since, now()) end where id = _id returning * into _row;
  if _outcome = 'retake' and _row.provider_attempt is distinct from _found ->> 'attempt' and _row.state = 'started' then
    update svc.idverify set attempts = attempts + 1, provider_attempt = _found ->> 'attempt',
        reason_codes = array(select json_array_elements_text(_found -> 'reasonCodes')), updated_at = clock_timestamp()
      where id = _id returning * into _row;
    perform idverify.ask_again(_row, _row.reason_codes);
  elsif _outcome in ('approved', 'declined') or (_outcome = 'review' and _row.state = 'started') then
    perform idverify.conclude(_row, _found, _screening_days, 'provider');
  elsif _outcome in ('expired', 'cancelled') and _row.state = 'started' then
    perform idverify.move(_id, 'expired', 'provider', '{}');
  end if;
  perform idverify.poll_again(_id);
  perform pg_notify('long_polls', 'idverify ' || _id);
  return _outcome;
end $$;

-- The provider could not be asked.
create or replace function idverify.postpone_poll(_id uuid) returns void language plpgsql as $$
begin
  perform idverify.poll_again(_id);
end $$;

-- Often while the person is likely to be at it, and seldom while people decide.
create or replace function idverify.poll_again(_id uuid) returns void language sql as $$
  select step.queue_next('idverify.poll', json_build_object('id', v.id), now() + case when v.state = 'manual_review' then interval '1 hour'
    when v.state_at > now() - interval '15 minutes' then interval '1 minute' else interval '10 minutes' end, v.id::text)
  from svc.idverify v where v.id = _id and v.state in ('started', 'manual_review')
$$;

-- The provider has come to no end within a day after the time was over: it is its fault, and costs nothing.
create or replace function idverify.give_up(_row svc.idverify) returns void language plpgsql as $$
begin
  perform idverify.move(_row.id, 'failed', 'clock', jsonb_build_object('reasonCodes', _row.reason_codes));
  perform ledger.refund(_row.job_id, _row.charge_micros);
end $$;

-- Ends the session at the provider, and if wanted lets it forget the person.
create or replace function idverify.leave_provider(_row svc.idverify, _erases boolean) returns void language sql as $$
  select step.queue('idverify.leave-provider', json_build_object('provider', _row.provider, 'reference', _row.provider_ref,
    'erases', _erases), now(), _row.id || ' ' || _erases) where _row.provider_ref is not null
$$;

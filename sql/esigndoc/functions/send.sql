-- Sends a draft, which `_job` pays for. What is signed is fixed from now on.
create or replace function esigndoc.send(_job json, _id uuid, _sending json) returns json language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock((_job ->> 'account')::uuid, _id);
  _result json;
begin
  if _sending ->> 'message' is not null then
    update svc.envelope set terms = (terms::jsonb || jsonb_build_object('message', _sending ->> 'message'))::json
      where id = _id returning * into _row;
  end if;
  -- Whoever gets a copy does nothing by a link: the mail is all that they are named for.
  if _sending ->> 'delivery' is not null then
    update svc.envelope_recipient set delivery = _sending ->> 'delivery'
      where envelope_id = _id and (role <> 'cc' or _sending ->> 'delivery' = 'email');
  end if;
  _row := esigndoc.dispatch(_row, _job, _sending);
  _result := esigndoc.show(_row);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function esigndoc.dispatch(_row svc.envelope, _job json, _sending json) returns svc.envelope
language plpgsql as $$
declare
  _now timestamptz := clock_timestamp();
begin
  perform esigndoc.require_draft(_row);
  perform esigndoc.require_complete(_row.id);
  -- A draft is paid for by what it was when its price was made.
  if (_sending ->> 'pages')::integer <> (
      select sum(json_array_length(f.pages)) from svc.envelope_file f where f.envelope_id = _row.id)
    or (_sending ->> 'recipients')::integer <> (
      select count(*) from svc.envelope_recipient r where r.envelope_id = _row.id) then
    raise exception 'BUSY' using errcode = 'SVC01', detail = '{"reason":"the draft was changed meanwhile"}';
  end if;
  update svc.envelope set job_id = (_job ->> 'id')::uuid, charge_micros = (_job ->> 'charge')::bigint, sent_at = _now,
      expires_at = esigndoc.add_days(_now, expires_in_days, timezone), baton_id = (_sending #>> '{baton,id}')::uuid
    where id = _row.id returning * into _row;
  perform baton.insert_new(_row.account_id, _row.job_id, _sending -> 'baton', null);
  _row := esigndoc.move(_row, 'sent', 'owner', jsonb_build_object('recipients', (
    select jsonb_agg(esigndoc.name_recipient(r) order by r.position) from svc.envelope_recipient r where r.envelope_id = _row.id)));
  update svc.envelope_recipient set status = 'skipped' where envelope_id = _row.id and role = 'cc';
  perform esigndoc.open_turn(_row);
  perform esigndoc.queue_timer(_row.id);
  perform esigndoc.queue_pages(_row);
  perform esigndoc.copy_log(_row.id);
  return _row;
end $$;

-- Every signer must have something to sign.
create or replace function esigndoc.require_complete(_id uuid) returns void language plpgsql as $$
declare
  _idle json;
begin
  if not exists (select from svc.envelope_recipient r where r.envelope_id = _id and r.role in ('signer', 'witness', 'approver')) then
    raise exception 'NO_SIGNERS' using errcode = 'SVC01';
  end if;
  select json_agg(esigndoc.format_recipient_id(r.id) order by r.position) into _idle from svc.envelope_recipient r
    where r.envelope_id = _id and r.role in ('signer', 'witness') and not exists (
      select from svc.envelope_field f where f.recipient_id = r.id
        and (f.spec ->> 'type') in ('signature', 'initials') and not (f.spec ->> 'readOnly')::boolean);
  if _idle is not null then
    raise exception 'NO_FIELDS' using errcode = 'SVC01', detail = json_build_object('recipients', _idle)::text;
  end if;
end $$;

-- Adds days by the calendar of a time zone, so that an hour stays the same hour when clocks change.
create or replace function esigndoc.add_days(_at timestamptz, _days integer, _zone text) returns timestamptz
language sql stable as $$
  select (_at at time zone _zone + make_interval(days => _days)) at time zone _zone
$$;

-- Asks those whose turn it is. Those of later turns get neither a notice nor access.
create or replace function esigndoc.open_turn(_row svc.envelope) returns void language plpgsql as $$
declare
  _turn integer;
  _asked svc.envelope_recipient;
begin
  select min(r.turn) into _turn from svc.envelope_recipient r where r.envelope_id = _row.id
    and r.role in ('signer', 'witness', 'approver') and r.status not in ('completed', 'reassigned');
  for _asked in select * from svc.envelope_recipient r where r.envelope_id = _row.id and r.status = 'waiting'
      and (_row.signing_order = 'parallel' or r.turn <= _turn) order by r.position loop
    perform esigndoc.ask(_row, _asked);
  end loop;
end $$;

create or replace function esigndoc.ask(_row svc.envelope, _asked svc.envelope_recipient) returns void language plpgsql as $$
begin
  update svc.envelope_recipient set status = 'notified', notified_at = clock_timestamp() where id = _asked.id
    returning * into _asked;
  update svc.envelope_recipient set remind_at = esigndoc.next_reminder(_row, _asked) where id = _asked.id;
  perform esigndoc.log(_row, 'service', 'notified', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'delivery', _asked.delivery));
  perform esigndoc.queue_notice(_asked, 'asked', _asked.link_nonce);
end $$;

-- `_key` makes it once: the same occasion is told again only with another one.
create or replace function esigndoc.queue_notice(_asked svc.envelope_recipient, _occasion text, _key text) returns void
language plpgsql as $$
begin
  if _asked.delivery = 'email' and _asked.email is not null then
    perform step.queue('esigndoc.notify', json_build_object('recipient', _asked.id, 'occasion', _occasion, 'key', _key), now(),
      _asked.id || ' ' || _occasion || ' ' || _key);
  end if;
end $$;

-- Reminds those who have the turn, or some of them. Three times in the life of an envelope, and once an hour at most.
create or replace function esigndoc.resend(_account uuid, _id uuid, _recipients uuid[], _message text) returns json
language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
  _notified json;
  _skipped json;
begin
  perform esigndoc.require_out(_row);
  if exists (select from unnest(_recipients) w where not exists (
      select from svc.envelope_recipient r where r.envelope_id = _id and r.id = w)) then
    raise exception 'RECIPIENT_UNKNOWN' using errcode = 'SVC01';
  elsif _row.resends >= 3 then
    raise exception 'RESENDS_EXHAUSTED' using errcode = 'SVC01', detail = json_build_object('resends', _row.resends, 'max', 3)::text;
  elsif _row.resent_at > clock_timestamp() - interval '1 hour' then
    raise exception 'RESENT_RECENTLY' using errcode = 'SVC01', detail = json_build_object('resends', _row.resends, 'max', 3,
      'retryAfterSeconds', ceil(extract(epoch from _row.resent_at + interval '1 hour' - clock_timestamp())))::text;
  end if;
  select coalesce(json_agg(esigndoc.format_recipient_id(r.id) order by r.position) filter (where esigndoc.skip_reason(r) is null), '[]'),
      coalesce(json_agg(json_build_object('id', esigndoc.format_recipient_id(r.id), 'reason', esigndoc.skip_reason(r))
        order by r.position) filter (where esigndoc.skip_reason(r) is not null), '[]')
    into _notified, _skipped from svc.envelope_recipient r
    where r.envelope_id = _id and (_recipients is null or r.id = any (_recipients));
  perform esigndoc.queue_notice(r, 'reminder', 'resent ' || (_row.resends + 1)) from svc.envelope_recipient r
    where r.envelope_id = _id and (_recipients is null or r.id = any (_recipients)) and esigndoc.skip_reason(r) is null;
  if json_array_length(_notified) > 0 then
    update svc.envelope set resent_at = clock_timestamp(), resends = resends + 1,
      terms = case when _message is null then terms
        else (terms::jsonb || jsonb_build_object('message', _message))::json end where id = _id;
    update svc.envelope_recipient set message = _message
      where envelope_id = _id and message is not null and _message is not null
        and esigndoc.format_recipient_id(id) in (select json_array_elements_text(_notified));
    perform esigndoc.log(_row, 'owner', 'resent', jsonb_build_object('recipients', _notified));
  end if;
  return json_build_object('notified', _notified, 'skipped', _skipped);
end $$;

-- Why a recipient is not reminded; null if it is.
create or replace function esigndoc.skip_reason(_row svc.envelope_recipient) returns text language sql immutable as $$
  select case when _row.role in ('viewer', 'cc') then 'has nothing to sign' when _row.status = 'completed' then 'has signed'
    when _row.status = 'waiting' then 'has not the turn yet' when _row.status in ('declined', 'reassigned') then _row.status
    when _row.delivery <> 'email' or _row.email is null then 'gets no mail: pass the link on' end
$$;

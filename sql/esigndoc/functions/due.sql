-- Queues the step for what comes next: a reminder, or the end.
create or replace function esigndoc.queue_timer(_id uuid) returns void language sql as $$
  select step.queue('esigndoc.run-due', json_build_object('id', _id), least(e.expires_at, (
      select min(r.remind_at) from svc.envelope_recipient r where r.envelope_id = _id and esigndoc.is_asked(r))), _id::text)
  from svc.envelope e where e.id = _id and e.state in ('sent', 'in_progress')
$$;

-- When a recipient is reminded next; null if they have had all reminders. Days are counted by the calendar of the time zone from
-- when they were asked, so a change of clocks shifts no later one, and those that were missed are not made up for.
create or replace function esigndoc.next_reminder(_row svc.envelope, _asked svc.envelope_recipient) returns timestamptz
language sql stable as $$
  select min(t) from generate_series((_row.terms #>> '{reminders,firstAfterDays}')::integer, 400,
      (_row.terms #>> '{reminders,everyDays}')::integer) days, esigndoc.add_days(_asked.notified_at, days, _row.timezone) t
    where t > clock_timestamp() + interval '12 hours' and esigndoc.is_asked(_asked)
      and _asked.reminders_sent < (_row.terms #>> '{reminders,max}')::integer
$$;

-- The step: ends an envelope whose time is over, and reminds those who are due. What was paid for an envelope that nobody has
-- opened is given back by half.
create or replace function esigndoc.run_due(_id uuid) returns void language plpgsql as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and state in ('sent', 'in_progress') for no key update;
  if not found then
    return;
  elsif _row.expires_at <= clock_timestamp() then
    if _row.viewed_at is null then
      perform ledger.refund(_row.job_id, _row.charge_micros / 2);
    end if;
    _row := esigndoc.move(_row, 'expired', 'clock', '{}');
    perform esigndoc.end_open(_row, 'expired');
  else
    perform esigndoc.remind_due(_row);
    perform esigndoc.queue_timer(_id);
  end if;
end $$;

create or replace function esigndoc.remind_due(_row svc.envelope) returns void language plpgsql as $$
declare
  _asked svc.envelope_recipient;
begin
  for _asked in select * from svc.envelope_recipient r where r.envelope_id = _row.id and esigndoc.is_asked(r)
      and r.remind_at <= clock_timestamp() order by r.position loop
    update svc.envelope_recipient set reminders_sent = reminders_sent + 1 where id = _asked.id returning * into _asked;
    update svc.envelope_recipient set remind_at = esigndoc.next_reminder(_row, _asked) where id = _asked.id;
    perform esigndoc.queue_notice(_asked, 'reminder', 'reminder ' || _asked.reminders_sent);
    perform esigndoc.log(_row, 'clock', 'reminded', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
      'number', _asked.reminders_sent));
  end loop;
end $$;

-- What the step that writes to people needs; null if they need not be written to any more.
create or replace function esigndoc.read_notice(_recipient uuid, _occasion text) returns json language sql stable as $$
  select json_build_object('id', r.id, 'accountId', e.account_id, 'envelopeId', esigndoc.format_id(e.id), 'name', r.name, 'email', r.email, 'role', r.role,
    'language', r.language, 'linkNonce', r.link_nonce, 'title', e.title, 'sender', esigndoc.name_sender(e),
    'subject', e.terms ->> 'subject', 'message', coalesce(r.message, e.terms ->> 'message'), 'expiresAt', e.expires_at,
    'timezone', e.timezone, 'reason', (select x.decline_reason from svc.envelope_recipient x
      where x.envelope_id = e.id and x.status = 'declined' limit 1))
  from svc.envelope_recipient r join svc.envelope e on e.id = r.envelope_id
  where r.id = _recipient and r.email is not null and case _occasion
    when 'asked' then e.state in ('sent', 'in_progress') and r.status in ('notified', 'viewed', 'bounced')
    when 'reminder' then e.state in ('sent', 'in_progress') and r.status in ('notified', 'viewed', 'bounced')
    else true end
$$;

-- Writes a message to a recipient into the outbox, once for its key, and queues the step that notes what became of it.
create or replace function esigndoc.queue_mail(_recipient uuid, _mail json) returns void language plpgsql as $$
begin
  perform notification.queue((_mail ->> 'id')::uuid, (_mail ->> 'accountId')::uuid, _mail ->> 'name', _mail ->> 'key',
    _mail ->> 'email', (_mail -> 'data')::jsonb, _mail ->> 'sealed');
  perform step.queue('esigndoc.follow-mail', json_build_object('recipient', _recipient, 'name', _mail ->> 'name',
    'key', _mail ->> 'key'), now() + interval '15 seconds', _recipient::text);
end $$;

-- The step after a mail was written into the outbox: an address that takes none is bounced.
create or replace function esigndoc.follow_mail(_recipient uuid, _name text, _key text) returns void language plpgsql as $$
declare
  _mail svc.notification;
  _asked svc.envelope_recipient;
  _row svc.envelope;
begin
  select n.* into _mail from svc.notification n join svc.envelope e on e.account_id = n.account_id
    join svc.envelope_recipient r on r.envelope_id = e.id where r.id = _recipient and n.name = _name and n.key = _key;
  if _mail.state = 'waiting' then
    perform step.queue('esigndoc.follow-mail', json_build_object('recipient', _recipient, 'name', _name, 'key', _key),
      now() + interval '1 minute', _recipient::text);
  elsif _mail.state = 'refused' then
    select e.* into _row from svc.envelope e join svc.envelope_recipient r on r.envelope_id = e.id where r.id = _recipient
      for no key update of e;
    update svc.envelope_recipient set status = 'bounced', delivery_error = _mail.last_error
      where id = _recipient and status = 'notified' returning * into _asked;
    if found then
      perform esigndoc.log(_row, 'service', 'bounced', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
        'error', _mail.last_error));
      perform esigndoc.wake(_row.id);
    end if;
  end if;
end $$;

-- The messages that were written about an envelope.
create or replace function esigndoc.list_outbox(_account uuid, _id uuid) returns json language plpgsql stable as $$
begin
  perform esigndoc.read(_account, _id);
  return (select coalesce(json_agg(notification.show(n) order by n.created_at, n.id), '[]') from svc.notification n
    where n.account_id = _account and n.name like 'esigndoc.%' and n.data ->> 'envelopeId' = esigndoc.format_id(_id));
end $$;

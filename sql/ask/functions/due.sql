-- Queues the one timer of an ask for what comes next: its end, a reminder or a step of its escalation.
create or replace function ask.queue_timer(_ask svc.ask) returns void language sql as $$
  select step.queue('ask.run-due', json_build_object('id', _ask.id), least(_ask.expires_at,
    (select min(t) from unnest(_ask.reminders) t),
    (select min(r.ask_at) from svc.ask_recipient r where r.ask_id = _ask.id and r.asked_at is null)), _ask.id::text)
$$;

-- Does what is due for an ask. What is not due yet, or was done before, is left alone.
create or replace function ask.run_due(_id uuid) returns void language plpgsql as $$
declare
  _ask svc.ask;
  _now timestamptz := clock_timestamp();
  _asked svc.ask_recipient;
begin
  select * into _ask from svc.ask where id = _id and ended_at is null for no key update;
  if not found then
    return;
  elsif _ask.expires_at <= _now then
    perform ask.end_due(_ask, _now);
    return;
  end if;
  for _asked in update svc.ask_recipient set asked_at = _now where ask_id = _id and asked_at is null and ask_at <= _now
      returning * loop
    perform audit.append('ask', _id, _ask.account_id, 'clock', 'escalated',
      jsonb_build_object('step', _asked.step, 'recipient', ask.name_recipient(_asked)));
    perform ask.queue_delivery(_asked, 'asked');
  end loop;
  if exists (select from unnest(_ask.reminders) t where t <= _now) then
    update svc.ask set reminders = array(select t from unnest(reminders) t where t > _now) where id = _id returning * into _ask;
    perform ask.remind_all(_ask, 'clock');
  end if;
  perform ask.queue_timer(_ask);
end $$;

-- Many asks may end in one moment. Some more of the same account are ended in this transaction, their timers are dropped, and
-- their events are emitted together. Those of other accounts are not, because two transactions could then wait for each other's
-- webhooks.
create or replace function ask.end_due(_ask svc.ask, _now timestamptz) returns void language plpgsql as $$
declare
  _more svc.ask;
  _events svc.webhook_emission[] := array[ask.close_late(_ask)];
  _ended text[] := '{}';
begin
  for _more in select * from svc.ask where account_id = _ask.account_id and ended_at is null and expires_at <= _now
      order by expires_at limit 200 for no key update skip locked loop
    _events := _events || ask.close_late(_more);
    _ended := _ended || _more.id::text;
  end loop;
  perform webhook.emit(_events);
  perform step.drop('ask.run-due', _ended);
end $$;

-- No reply is never an approval, unless the owner has said so.
create or replace function ask.close_late(_ask svc.ask) returns svc.webhook_emission language plpgsql as $$
begin
  if _ask.default_reply is null then
    return ask.close(_ask, 'expired', 'timeout', 'clock');
  end if;
  return ask.close(_ask, 'defaulted', coalesce(_ask.default_reply ->> 'decision',
    case when _ask.kind = 'choice' then 'choice' else 'answered' end), 'clock');
end $$;

drop function if exists ask.time_out(svc.ask), ask.time_out_more(uuid, timestamptz);

-- Links and wallets are told by the owner, or by the inbox.
create or replace function ask.queue_delivery(_asked svc.ask_recipient, _occasion text) returns void language plpgsql as $$
begin
  if _asked.delivery in ('waiting', 'sent') then
    perform step.queue('ask.deliver', json_build_object('id', _asked.id, 'occasion', _occasion), now(),
      _asked.id || ' ' || _occasion);
  end if;
end $$;

-- What a recipient is sent; null if nobody needs the reply any more.
create or replace function ask.read_delivery(_recipient uuid) returns json language sql stable as $$
  select json_build_object('askId', ask.format_id(a.id), 'accountId', a.account_id, 'recipient', r.id, 'name', r.name,
    'kind', r.kind, 'address', r.address, 'sealedUrl', r.sealed_url, 'remindedAt', a.reminded_at, 'question', a.question,
    'askKind', a.kind, 'options', a.options, 'schema', a.form, 'context', a.context, 'proposal', a.proposal, 'urgency', a.urgency,
    'threadId', a.thread_id, 'expiresAt', a.expires_at)
  from svc.ask_recipient r join svc.ask a on a.id = r.ask_id
  where r.id = _recipient and a.ended_at is null and not exists (select from svc.ask_reply p where p.recipient_id = r.id)
$$;

-- Notes that a recipient was sent the question, or why that will never be. An ask that reaches nobody ends.
create or replace function ask.note_delivery(_recipient uuid, _reason text) returns void language plpgsql as $$
declare
  _ask svc.ask;
begin
  select a.* into _ask from svc.ask a where a.id = (select ask_id from svc.ask_recipient where id = _recipient) for no key update;
  update svc.ask_recipient set delivery = case when _reason is null then 'sent' else 'failed' end, delivery_error = _reason
    where id = _recipient and (delivery <> 'sent' or _reason is null);
  if _reason is not null and _ask.state = 'open'
      and not exists (select from svc.ask_recipient where ask_id = _ask.id and delivery <> 'failed') then
    perform ask.finish(_ask, 'undeliverable', null, 'delivery');
  end if;
end $$;

create or replace function ask.note_failed_attempt(_recipient uuid, _reason text) returns void language sql as $$
  update svc.ask_recipient set delivery_error = _reason where id = _recipient and delivery = 'waiting'
$$;

-- Sends the question as a message of a channel of the same account. Returns why that cannot be, or null.
create or replace function ask.post_to_channel(_recipient uuid, _message uuid, _body json, _key text) returns text
language plpgsql as $$
declare
  _ask svc.ask;
  _asked svc.ask_recipient;
begin
  select * into _asked from svc.ask_recipient where id = _recipient;
  select * into _ask from svc.ask where id = _asked.ask_id;
  perform channel.post(
    json_build_object('account', _ask.account_id,
      'channel', substr(_asked.address, 5)::uuid),
    json_build_object('id', _message, 'type', 'ask', 'dedupe_key', _key), _body, null);
  return null;
exception when sqlstate 'SVC01' then
  return 'The channel answers ' || sqlerrm || '.';
end $$;

-- The step after a mail was written into the outbox: notes what became of it.
create or replace function ask.follow_mail(_recipient uuid, _key text) returns void language plpgsql as $$
declare
  _mail svc.notification;
begin
  select n.* into _mail from svc.notification n join svc.ask a on a.account_id = n.account_id
    join svc.ask_recipient r on r.ask_id = a.id where r.id = _recipient and n.name = 'ask.question' and n.key = _key;
  if _mail.state = 'waiting' then
    perform ask.note_failed_attempt(_recipient, _mail.last_error);
    perform ask.queue_mail_check(_recipient, _key, now() + interval '1 minute');
  elsif _mail.state is not null then
    perform ask.note_delivery(_recipient, case _mail.state when 'refused' then _mail.last_error
      when 'kept' then 'No email is configured here any more.' end);
  end if;
end $$;

create or replace function ask.queue_mail_check(_recipient uuid, _key text, _at timestamptz) returns void language sql as $$
  select step.queue('ask.follow-mail', json_build_object('id', _recipient, 'key', _key), _at, _recipient::text)
$$;

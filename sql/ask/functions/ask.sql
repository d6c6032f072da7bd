-- Decision 0310: end an ask once, and closed.

-- Asks people, which `_job` pays for.
create or replace function ask.open(_job json, _fields json, _recipients json, _files json, _times json, _max_open integer)
returns json language plpgsql as $$
declare
  _ask svc.ask := json_populate_record(null::svc.ask, _fields);
  _asked svc.ask_recipient;
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('asks ' || _ask.account_id, 0));
  if _max_open <= (select count(*) from svc.ask a where a.account_id = _ask.account_id and a.ended_at is null) then
    raise exception 'TOO_MANY_ASKS' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  perform ask.require_channels(_ask.account_id, _recipients);
  _ask.job_id := (_job ->> 'id')::uuid;
  _ask.state := 'open';
  _ask.state_at := now();
  _ask.created_at := now();
  _ask.expires_at := now() + make_interval(secs => (_times ->> 'expires')::integer);
  _ask.reminders := array(select now() + make_interval(secs => t::integer) from json_array_elements_text(_times -> 'reminders') t);
  insert into svc.ask select _ask.*;
  insert into svc.ask_recipient (id, ask_id, position, name, kind, address, token_hash, sealed_url, step, ask_at, asked_at, delivery,
      delivery_error)
    select (r ->> 'id')::uuid, _ask.id, n, r ->> 'name', r ->> 'kind', r ->> 'address', (r ->> 'tokenHash')::bytea,
      r ->> 'sealedUrl', (r ->> 'step')::integer, now() + make_interval(secs => (r ->> 'afterSeconds')::integer),
      case when r ->> 'step' = '0' then now() end, r ->> 'delivery', r ->> 'error'
    from json_array_elements(_recipients) with ordinality t (r, n);
  insert into svc.ask_file (id, ask_id, position, name, content_type, sha256, content)
    select (f ->> 'id')::uuid, _ask.id, n, f ->> 'name', f ->> 'contentType', sha256(decode(f ->> 'base64', 'base64')),
      decode(f ->> 'base64', 'base64')
    from json_array_elements(_files) with ordinality t (f, n);
  perform audit.append('ask', _ask.id, _ask.account_id, 'owner', 'asked', jsonb_build_object('kind', _ask.kind,
    'question', _ask.question, 'needed', _ask.needed, 'recipients', ask.name_recipients(_ask.id)));
  for _asked in select * from svc.ask_recipient where ask_id = _ask.id and step = 0 order by position loop
    perform ask.queue_delivery(_asked, 'asked');
  end loop;
  perform ask.queue_timer(_ask);
  _result := ask.show(_ask)::jsonb || jsonb_build_object('costMicros', _job ->> 'charge');
  perform job.settle(_job, _result);
  return _result;
end $$;

-- An ask that names a channel which its owner does not have is refused before it is charged.
create or replace function ask.require_channels(_account uuid, _recipients json) returns void language plpgsql as $$
declare
  _foreign text;
begin
  select r ->> 'address' into _foreign from json_array_elements(_recipients) r
    where r ->> 'kind' = 'channel' and not channel.is_own(_account, substr(r ->> 'address', 5)::uuid) limit 1;
  if found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01',
      detail = json_build_object('field', 'channelId', 'recipient', _foreign)::text;
  end if;
end $$;

create or replace function ask.name_recipients(_ask uuid) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(ask.name_recipient(r) order by r.position), '[]') from svc.ask_recipient r where r.ask_id = _ask
$$;

-- How a recipient is called in logs and events.
create or replace function ask.name_recipient(_recipient svc.ask_recipient) returns text language sql immutable as $$
  select coalesce(_recipient.name, _recipient.address, 'link')
$$;

create or replace function ask.format_id(_id uuid) returns text language sql immutable as $$
  select 'ask_' || replace(_id::text, '-', '')
$$;

-- An ask as its owner sees it.
create or replace function ask.show(_ask svc.ask) returns json language sql stable as $$
  select json_build_object('id', ask.format_id(_ask.id), 'status', _ask.state, 'outcome', _ask.outcome, 'kind', _ask.kind,
    'question', _ask.question, 'context', _ask.context, 'options', _ask.options, 'schema', _ask.form, 'proposal', _ask.proposal,
    'urgency', _ask.urgency, 'needed', _ask.needed, 'voters', _ask.voters, 'denialEnds', _ask.denial_ends,
    'allowComment', _ask.allows_comment, 'allowEdit', _ask.allows_edit, 'defaultReply', _ask.default_reply,
    'recipients', (select coalesce(json_agg(ask.show_recipient(r) order by r.position), '[]')
      from svc.ask_recipient r where r.ask_id = _ask.id),
    'replies', ask.list_replies(_ask.id),
    'undelivered', (select coalesce(json_agg(json_build_object('recipient', ask.name_recipient(r), 'reason', r.delivery_error)
      order by r.position), '[]') from svc.ask_recipient r where r.ask_id = _ask.id and r.delivery = 'failed'),
    'attachments', (select coalesce(json_agg(ask.show_file(f) order by f.position), '[]')
      from svc.ask_file f where f.ask_id = _ask.id and f.recipient_id is null),
    'threadId', _ask.thread_id, 'referenceId', _ask.reference_id, 'metadata', _ask.metadata, 'createdAt', _ask.created_at,
    'expiresAt', _ask.expires_at, 'remindedAt', _ask.reminded_at, 'endedAt', _ask.ended_at)
$$;

create or replace function ask.show_recipient(_row svc.ask_recipient) returns json language sql stable as $$
  select json_build_object('id', _row.id, 'name', _row.name, 'kind', _row.kind, 'address', _row.address, 'step', _row.step,
    'askedAt', _row.asked_at, 'delivery', _row.delivery, 'deliveryError', _row.delivery_error,
    'hasReplied', exists (select from svc.ask_reply p where p.recipient_id = _row.id))
$$;

create or replace function ask.list_replies(_ask uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('recipient', coalesce(p.name, ask.name_recipient(r)), 'decision', p.decision,
      'value', p.value, 'comment', p.comment, 'editedProposal', p.edited_proposal, 'method', p.method, 'repliedAt', p.created_at)
    order by p.seq), '[]')
  from svc.ask_reply p join svc.ask_recipient r on r.id = p.recipient_id where p.ask_id = _ask
$$;

create or replace function ask.show_file(_file svc.ask_file) returns json language sql immutable as $$
  select json_build_object('id', _file.id, 'name', _file.name, 'contentType', _file.content_type,
    'sizeBytes', octet_length(_file.content), 'sha256', encode(_file.sha256, 'hex'))
$$;

-- The asks of an account, the newest first, if wanted those in one state, of one thread or with one reference.
create or replace function ask.list(_account uuid, _filter json, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(ask.show(a) order by a.created_at desc, a.id), '[]') from (
    select * from svc.ask where account_id = _account and (_filter ->> 'status' is null or state = _filter ->> 'status')
      and (_filter ->> 'threadId' is null or thread_id = _filter ->> 'threadId')
      and (_filter ->> 'referenceId' is null or reference_id = _filter ->> 'referenceId')
    order by created_at desc, id limit _limit offset _offset) a
$$;

create or replace function ask.require(_account uuid, _id uuid) returns svc.ask language plpgsql as $$
declare
  _ask svc.ask;
begin
  select * into _ask from svc.ask where id = _id and account_id = _account for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _ask;
end $$;

create or replace function ask.read(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _ask svc.ask;
begin
  select * into _ask from svc.ask where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return ask.show(_ask);
end $$;

-- One whose time is over has ended, also before its timer has come.
create or replace function ask.require_open(_ask svc.ask) returns void language plpgsql as $$
begin
  if _ask.ended_at is null and _ask.expires_at <= clock_timestamp() then
    raise exception 'ASK_CLOSED' using errcode = 'SVC01', detail = json_build_object(
      'status', case when _ask.default_reply is null then 'expired' else 'defaulted' end)::text;
  elsif _ask.ended_at is not null then
    raise exception 'ASK_CLOSED' using errcode = 'SVC01', detail = json_build_object('status', _ask.state)::text;
  end if;
end $$;

create or replace function ask.cancel(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _ask svc.ask := ask.require(_account, _id);
begin
  perform ask.require_open(_ask);
  perform ask.finish(_ask, 'cancelled', null, 'owner');
  return ask.read(_account, _id);
end $$;

-- Reminds those who have not replied, not more often than once in so many seconds.
create or replace function ask.remind(_account uuid, _id uuid, _seconds integer) returns json language plpgsql as $$
declare
  _ask svc.ask := ask.require(_account, _id);
  _wait interval := _ask.reminded_at + make_interval(secs => _seconds) - clock_timestamp();
begin
  perform ask.require_open(_ask);
  if _wait > interval '0' then
    raise exception 'REMINDED_RECENTLY' using errcode = 'SVC01',
      detail = json_build_object('retryAfterMs', ceil(extract(epoch from _wait) * 1000)::integer)::text;
  end if;
  perform ask.remind_all(_ask, 'owner');
  return ask.read(_account, _id);
end $$;

create or replace function ask.remind_all(_ask svc.ask, _actor text) returns void language plpgsql as $$
declare
  _asked svc.ask_recipient;
begin
  update svc.ask set reminded_at = clock_timestamp() where id = _ask.id;
  for _asked in select * from svc.ask_recipient r where r.ask_id = _ask.id and r.asked_at is not null
      and not exists (select from svc.ask_reply p where p.recipient_id = r.id) order by r.position loop
    perform ask.queue_delivery(_asked, 'reminder');
  end loop;
  perform audit.append('ask', _ask.id, _ask.account_id, _actor, 'reminded', '{}');
end $$;

-- Ends an ask, and tells whoever waits.
create or replace function ask.finish(_ask svc.ask, _state text, _outcome text, _actor text) returns void language plpgsql as $$
begin
  perform webhook.emit(array[ask.close(_ask, _state, _outcome, _actor)]);
end $$;

-- Ends an ask, and returns the event that is to be emitted with it.
create or replace function ask.close(_ask svc.ask, _state text, _outcome text, _actor text) returns svc.webhook_emission
language plpgsql as $$
begin
  update svc.ask set outcome = _outcome, ended_at = clock_timestamp(), reminders = '{}' where id = _ask.id;
  perform pg_notify('long_polls', 'ask ' || _ask.id);
  return transition.change('svc.ask', _ask.id, _state, _actor, jsonb_build_object('askId', ask.format_id(_ask.id),
    'status', _state, 'outcome', _outcome, 'replies', ask.list_replies(_ask.id), 'threadId', _ask.thread_id,
    'referenceId', _ask.reference_id, 'metadata', _ask.metadata,
    'defaultReply', case when _state = 'defaulted' then _ask.default_reply end));
end $$;

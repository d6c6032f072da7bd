-- The recipient of a token, and his ask. To others it is as if there were none.
create or replace function ask.find_recipient(_token bytea) returns svc.ask_recipient language plpgsql stable as $$
declare
  _asked svc.ask_recipient;
begin
  select * into _asked from svc.ask_recipient where token_hash = _token;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _asked;
end $$;

-- Whether several people may reply with one link: that of nobody in particular. A link with a name is for one person, as a mail is.
create or replace function ask.is_shared(_asked svc.ask_recipient) returns boolean language sql immutable as $$
  select _asked.kind = 'link' and _asked.name is null
$$;

-- An ask as whoever replies sees it. It changes nothing.
create or replace function ask.read_for_reply(_token bytea) returns json language plpgsql stable as $$
declare
  _asked svc.ask_recipient := ask.find_recipient(_token);
  _ask svc.ask;
begin
  select * into _ask from svc.ask where id = _asked.ask_id;
  return ask.show_for_reply(_ask, _asked);
end $$;

create or replace function ask.show_for_reply(_ask svc.ask, _asked svc.ask_recipient) returns json language sql volatile as $$
  select json_build_object('askId', ask.format_id(_ask.id),
    'status', case when _ask.ended_at is null and _ask.expires_at <= clock_timestamp() then 'expired' else _ask.state end,
    'recipient', _asked.name, 'wallet', case when _asked.kind = 'wallet' then _asked.address end,
    'isShared', ask.is_shared(_asked),
    'hasReplied', exists (select from svc.ask_reply p where p.recipient_id = _asked.id),
    'kind', _ask.kind, 'question', _ask.question, 'context', _ask.context, 'options', _ask.options, 'schema', _ask.form,
    'proposal', _ask.proposal, 'urgency', _ask.urgency, 'allowComment', _ask.allows_comment, 'allowEdit', _ask.allows_edit,
    'attachments', (select coalesce(json_agg(ask.show_file(f) order by f.position), '[]')
      from svc.ask_file f where f.ask_id = _ask.id and f.recipient_id is null),
    'createdAt', _ask.created_at, 'expiresAt', _ask.expires_at)
$$;

-- Takes the reply of a recipient, the first one only, and ends the ask if that decides it. Replies to one ask come one after the
-- other, so that of two that would decide it, one does.
create or replace function ask.reply(_token bytea, _reply json, _file json, _account uuid) returns json language plpgsql as $$
declare
  _asked svc.ask_recipient := ask.find_recipient(_token);
  _ask svc.ask;
  _known boolean;
  _value json := _reply -> 'value';
  _seq integer;
  _actor text;
begin
  select * into _ask from svc.ask where id = _asked.ask_id for no key update;
  _known := not ask.is_shared(_asked) and exists (select from svc.ask_reply p where p.recipient_id = _asked.id);
  if _known then
    raise exception 'ALREADY_REPLIED' using errcode = 'SVC01';
  elsif _ask.state in ('expired', 'defaulted') or (_ask.ended_at is null and _ask.expires_at <= clock_timestamp()) then
    raise exception 'GONE' using errcode = 'SVC01';
  end if;
  perform ask.require_open(_ask);
  if _asked.kind = 'wallet' and not exists (
      select from svc.wallet w where w.account_id = _account and w.address = _asked.address) then
    raise exception 'WRONG_WALLET' using errcode = 'SVC01', detail = json_build_object('wallet', _asked.address)::text;
  end if;
  select count(*) + 1 into _seq from svc.ask_reply where ask_id = _ask.id;
  if _file is not null then
    insert into svc.ask_file (id, ask_id, position, recipient_id, name, content_type, sha256, content)
      values ((_file ->> 'id')::uuid, _ask.id, 1000 + _seq, _asked.id, _file ->> 'name', _file ->> 'contentType',
        sha256(decode(_file ->> 'base64', 'base64')), decode(_file ->> 'base64', 'base64'));
    select ask.show_file(f) into _value from svc.ask_file f where f.id = (_file ->> 'id')::uuid;
  end if;
  insert into svc.ask_reply (ask_id, recipient_id, seq, name, decision, value, comment, edited_proposal, method)
    values (_ask.id, _asked.id, _seq, _reply ->> 'name', _reply ->> 'decision', _value, _reply ->> 'comment',
      _reply -> 'editedProposal', _reply ->> 'method');
  _actor := coalesce(_reply ->> 'name', ask.name_recipient(_asked));
  perform audit.append('ask', _ask.id, _ask.account_id, _actor, 'reply', jsonb_build_object('seq', _seq,
    'method', _reply ->> 'method', 'decision', _reply ->> 'decision', 'value', _value, 'comment', _reply ->> 'comment',
    'editedProposal', _reply -> 'editedProposal'));
  perform ask.count_replies(_ask, _actor);
  select * into _ask from svc.ask where id = _ask.id;
  return ask.show_for_reply(_ask, _asked);
end $$;

create or replace function ask.count_replies(_ask svc.ask, _actor text) returns void language plpgsql as $$
declare
  _all integer;
  _approvals integer;
  _outcome text;
begin
  select count(*), count(*) filter (where decision = 'approved') into _all, _approvals from svc.ask_reply where ask_id = _ask.id;
  _outcome := case
    when _ask.kind = 'approval' and (_ask.denial_ends and _all > _approvals or _ask.voters - (_all - _approvals) < _ask.needed)
      then 'denied'
    when _ask.kind = 'approval' then case when _approvals >= _ask.needed then 'approved' end
    when _all >= _ask.needed then case when _ask.kind = 'choice' then 'choice' else 'answered' end end;
  if _outcome is not null then
    perform ask.finish(_ask, 'replied', _outcome, _actor);
  else
    if _ask.state = 'open' then
      perform transition.move('svc.ask', _ask.id, 'partially_replied', _actor, '{}');
    end if;
    perform pg_notify('long_polls', 'ask ' || _ask.id);
  end if;
end $$;

-- A file of an ask: for its owner any, for whoever replies those that the owner has attached.
create or replace function ask.read_file(_account uuid, _ask uuid, _token bytea, _file uuid)
returns table (name text, content_type text, sha256 text, content bytea) language plpgsql stable as $$
begin
  return query select f.name, f.content_type, encode(f.sha256, 'hex'), f.content
    from svc.ask_file f join svc.ask a on a.id = f.ask_id
    where f.id = _file and ((a.account_id = _account and a.id = _ask)
      or (f.recipient_id is null and exists (
        select from svc.ask_recipient r where r.ask_id = a.id and r.token_hash = _token)));
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

-- The open asks that are addressed to whoever has an account: by its mail addresses and its wallets. The token of each is derived
-- from the id of the recipient.
create or replace function ask.list_inbox(_account uuid, _limit integer) returns json language sql volatile as $$
  with addressed as (
    select r.* from svc.identity i join svc.ask_recipient r on r.kind = 'email' and r.address = lower(i.email)
      where i.account_id = _account
    union all
    select r.* from svc.wallet w join svc.ask_recipient r on r.kind = 'wallet' and r.address = w.address
      where w.account_id = _account)
  select coalesce(json_agg(json_build_object('recipient', found.id, 'question', found.question, 'urgency', found.urgency,
      'askedAt', found.asked_at, 'expiresAt', found.expires_at) order by found.expires_at, found.id), '[]')
  from (select distinct on (a.expires_at, r.id) r.id, a.question, a.urgency, r.asked_at, a.expires_at
    from addressed r join svc.ask a on a.id = r.ask_id
    where r.asked_at is not null and a.ended_at is null and a.expires_at > clock_timestamp()
      and not exists (select from svc.ask_reply p where p.recipient_id = r.id)
    order by a.expires_at, r.id limit _limit) found
$$;

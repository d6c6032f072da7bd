create or replace function session.create_link(_hash bytea, _email text, _account uuid, _minutes integer) returns void
language sql as $$
  delete from svc.sign_in_link where expires_at < now();
  insert into svc.sign_in_link (hash, email, account_id, expires_at)
    values (_hash, lower(_email), _account, now() + make_interval(mins => _minutes))
$$;

-- Whether a link still works, without using it up: software that opens the links of a mail must not spend it.
create or replace function session.is_link_valid(_hash bytea) returns boolean language sql stable as $$
  select exists (select from svc.sign_in_link where hash = _hash and operator is null and expires_at > now())
$$;

-- Uses a link up and returns its account and what was signed in by; no row if it was used before or has expired. Of concurrent
-- calls one gets the account. A link that an operator made signs in by nothing that is linked.
create or replace function session.redeem_link(_hash bytea, _id uuid, _is_test boolean)
returns table (account_id uuid, opened_by text) language plpgsql as $$
declare
  _link svc.sign_in_link;
begin
  delete from svc.sign_in_link l where l.hash = _hash and l.operator is null returning * into _link;
  if not found or _link.expires_at <= now() then
    return;
  end if;
  return query select coalesce(_link.account_id,
    session.find_or_create_account('email', _link.email, _link.email, null, _id, _is_test)), 'email ' || _link.email;
end $$;

-- The account of an identity, created with the proposed id if there is none. A new identity joins the account that is signed
-- in, if any, or one that awaits its owner; an identity that belongs to another account stays there.
create or replace function session.find_or_create_account(_provider text, _subject text, _email text, _signed_in uuid, _id uuid,
  _is_test boolean) returns uuid language plpgsql as $$
declare
  _account uuid;
begin
  perform pg_advisory_xact_lock(hashtext('identity ' || _provider || ' ' || _subject));
  update svc.identity set email = coalesce(_email, email) where provider = _provider and subject = _subject
    returning account_id into _account;
  if not found then
    _account := coalesce(_signed_in, account.claim(_is_test), account.create(_id, _email, _is_test));
    insert into svc.identity (provider, subject, account_id, email) values (_provider, _subject, _account, _email);
    if _signed_in is not null then
      perform session.tell_addition(_account, _provider, coalesce(_email, _subject));
    end if;
  end if;
  return _account;
end $$;

-- Opens a session and closes the one that the browser had before; refused for a suspended account, and if what it is opened by was
-- unlinked meanwhile. Returns whether the account was signed in to before.
create or replace function session.start(_hash bytea, _account uuid, _former bytea, _opened_by text) returns boolean
language plpgsql as $$
declare
  _was_here boolean;
  _is_suspended boolean;
begin
  select signed_in_at is not null, suspended_at is not null into _was_here, _is_suspended
    from svc.account where id = _account for no key update;
  if _is_suspended then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01';
  elsif _opened_by is not null and not session.note_use(_account, _opened_by) then
    raise exception 'SIGN_IN_FAILED' using errcode = 'SVC01', detail = '{"reason":"It was unlinked meanwhile."}';
  end if;
  delete from svc.session where hash = _former or seen_at < now() - interval '12 hours';
  insert into svc.session (hash, account_id, opened_by) values (_hash, _account, _opened_by);
  update svc.account set signed_in_at = now() where id = _account;
  return _was_here;
end $$;

-- The account of a session. A session ends when it was idle for twelve hours.
create or replace function session.find(_hash bytea)
returns table (account_id uuid, is_test boolean, is_suspended boolean) language plpgsql as $$
begin
  update svc.session s set seen_at = now() where s.hash = _hash and s.seen_at > now() - interval '12 hours'
    and s.seen_at < now() - interval '1 minute';
  return query select a.id, a.is_test, a.suspended_at is not null
    from svc.session s join svc.account a on a.id = s.account_id
    where s.hash = _hash and s.seen_at > now() - interval '12 hours';
end $$;

-- The account of a session, and the operator who only sees it, if any. What an operator sees ends after an hour.
create or replace function session.look_up(_hash bytea)
returns table (account_id uuid, is_test boolean, is_suspended boolean, operator text) language plpgsql as $$
begin
  update svc.session s set seen_at = now() where s.hash = _hash and s.seen_at > now() - interval '12 hours'
    and s.seen_at < now() - interval '1 minute';
  return query select a.id, a.is_test, a.suspended_at is not null, s.operator
    from svc.session s join svc.account a on a.id = s.account_id
    where s.hash = _hash and s.seen_at > now() - interval '12 hours'
      and (s.operator is null or s.created_at > now() - interval '1 hour');
end $$;

-- A link by which an operator sees the pages of an account; it serves once and for five minutes.
create or replace function session.create_view_link(_hash bytea, _account uuid, _operator text) returns void language sql as $$
  delete from svc.sign_in_link where expires_at < now();
  insert into svc.sign_in_link (hash, account_id, operator, expires_at) values (_hash, _account, _operator, now() + interval '5 minutes');
$$;

create or replace function session.find_view_link(_hash bytea) returns table (account_id uuid, operator text) language sql stable as $$
  select l.account_id, l.operator from svc.sign_in_link l where l.hash = _hash and l.operator is not null and l.expires_at > now()
$$;

-- Uses such a link up and opens a session that can change nothing.
create or replace function session.start_view(_link bytea, _hash bytea) returns boolean language plpgsql as $$
declare
  _found svc.sign_in_link;
begin
  delete from svc.sign_in_link where hash = _link and operator is not null returning * into _found;
  if not found or _found.expires_at <= now() then
    return false;
  end if;
  insert into svc.session (hash, account_id, operator) values (_hash, _found.account_id, _found.operator);
  return true;
end $$;

create or replace function session.close(_hash bytea) returns void language sql as $$
  delete from svc.session where hash = _hash
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists session.open(bytea, uuid, bytea), session.find(bytea), session.use_link(bytea, uuid, boolean),
--   session.start(bytea, uuid, bytea), session.list_identities(uuid);

create or replace function session.use_link(_hash bytea, _id uuid, _is_test boolean) returns uuid language sql as $$
  select r.account_id from session.redeem_link(_hash, _id, _is_test) r
$$;

create or replace function session.start(_hash bytea, _account uuid, _former bytea) returns boolean language sql as $$
  select session.start(_hash, _account, _former, null)
$$;

create or replace function session.list_identities(_account uuid) returns table (provider text, subject text, email text)
language sql stable as $$
  select i.provider, i.subject, i.email from svc.identity i where i.account_id = _account order by i.created_at
$$;

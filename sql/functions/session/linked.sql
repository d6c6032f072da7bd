-- Decision 0710: what signs in to an account, and how it is unlinked.

-- Notes that an account was signed in to by `_opened_by`, a kind and an address or subject. False if that is not linked any more.
create or replace function session.note_use(_account uuid, _opened_by text) returns boolean language plpgsql as $$
declare
  _kind text := split_part(_opened_by, ' ', 1);
  _subject text := substr(_opened_by, length(_kind) + 2);
begin
  if _kind = 'wallet' then
    update svc.wallet set used_at = now() where address = _subject and account_id = _account;
  else
    update svc.identity set used_at = now() where provider = _kind and subject = _subject and account_id = _account;
  end if;
  return found;
end $$;

-- A mail address of which its owner knows which one it is.
create or replace function session.mask(_name text) returns text language sql immutable as $$
  select case when strpos(_name, '@') > 1 then left(_name, 1) || '…' || substr(_name, strpos(_name, '@')) else _name end
$$;

-- What signs in to an account, the oldest first. A wallet also serves by its payments.
create or replace function session.list_sign_ins(_account uuid)
returns table (id text, kind text, name text, masked text, opened_by text, email text, linked_at timestamptz, used_at timestamptz)
language sql stable as $$
  select i.id::text, i.provider, coalesce(i.email, i.subject), session.mask(coalesce(i.email, i.subject)),
    i.provider || ' ' || i.subject, i.email, i.created_at, i.used_at
    from svc.identity i where i.account_id = _account
  union all select w.address, 'wallet', w.address, w.address, 'wallet ' || w.address, null, w.linked_at,
    greatest(w.used_at, w.settled_at)
    from svc.wallet w where w.account_id = _account
  order by 7, 1
$$;

-- Unlinks what signs in to an account. `_usable` are the kinds by which one can sign in here; the last of them stays. `_acting` is
-- the session that does it: of those of which nobody knows what opened them, it alone goes on. What has been linked for three days
-- stays until another has been, so that nobody who links a wallet with a key that was lost can shut its owner out before the mail
-- about it is read.
create or replace function session.remove_sign_in(_account uuid, _id text, _usable text[], _actor text, _acting bytea)
returns void language plpgsql as $$
declare
  _found record;
  _trial constant interval := interval '3 days';
  _trusted timestamptz;
  _until timestamptz;
begin
  -- Wallets are locked before accounts, as wallet.link does it. Of two removals the second sees what the first has left.
  perform pg_advisory_xact_lock(hashtext('wallet ' || lower(_id)));
  perform from svc.account where id = _account for no key update;
  select * into _found from session.list_sign_ins(_account) s where s.id = lower(_id);
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif not exists (select from session.list_sign_ins(_account) s where s.id <> _found.id and s.kind = any (_usable)) then
    raise exception 'LAST_SIGN_IN' using errcode = 'SVC01';
  end if;
  select max(s.linked_at) filter (where s.linked_at <= now() - _trial), min(s.linked_at) + _trial into _trusted, _until
    from session.list_sign_ins(_account) s where s.id <> _found.id and s.kind = any (_usable);
  if _trusted is null and _found.linked_at <= now() - _trial then
    raise exception 'SIGN_IN_TOO_NEW' using errcode = 'SVC01', detail = json_build_object('until', _until)::text;
  end if;
  if _found.kind = 'wallet' then
    delete from svc.wallet where address = _found.id;
    update svc.account set token_version = token_version + 1 where id = _account;
  else
    delete from svc.identity where id = _found.id::uuid;
  end if;
  delete from svc.session s where s.account_id = _account and s.operator is null
    and (s.opened_by = _found.opened_by or (s.opened_by is null and s.hash is distinct from _acting));
  perform pg_notify('changed', 'account');
  perform audit.append('account', _account, _account, _actor, 'sign_in_removed',
    jsonb_build_object('kind', _found.kind, 'name', _found.masked));
  perform session.tell_removal(_account, _found.kind, _found.masked, _found.email);
end $$;

create or replace function session.tell_addition(_account uuid, _kind text, _name text) returns void language sql as $$
  select notification.tell_owner(_account, 'security.sign_in_added', gen_random_uuid()::text,
    jsonb_build_object('kind', _kind, 'name', session.mask(_name)))
$$;

-- Tells the owner, and the address that signs in no more.
create or replace function session.tell_removal(_account uuid, _kind text, _name text, _email text) returns void
language plpgsql as $$
declare
  _facts jsonb := jsonb_build_object('kind', _kind, 'name', _name);
begin
  perform notification.tell_owner(_account, 'security.sign_in_removed', gen_random_uuid()::text, _facts);
  if _email <> notification.find_address(_account) or (_email is not null and notification.find_address(_account) is null) then
    perform notification.queue(gen_random_uuid(), _account, 'security.sign_in_removed', gen_random_uuid()::text, _email, _facts,
      null);
  end if;
end $$;

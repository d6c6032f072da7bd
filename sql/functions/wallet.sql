-- Wallets that sign in and join accounts. payment.open_wallet creates the row of a wallet, so that paying and signing in with
-- one wallet lead to the same account.
create or replace function wallet.create_challenge(_nonce text, _address text, _chain bigint, _domain text, _minutes integer) returns timestamptz
language sql as $$
  delete from svc.wallet_challenge where expires_at < now();
  insert into svc.wallet_challenge (nonce, address, chain_id, domain, expires_at)
    values (_nonce, lower(_address), _chain, _domain, now() + make_interval(mins => _minutes)) returning expires_at
$$;

-- Returns the challenge of a nonce and deletes it, whether or not the answer proves to be right.
create or replace function wallet.take_challenge(_nonce text)
returns table (address text, chain_id bigint, domain text) language sql as $$
  with taken as (delete from svc.wallet_challenge where nonce = _nonce returning *)
  select taken.address, taken.chain_id, taken.domain from taken where taken.expires_at > now()
$$;

create or replace function wallet.list(_account uuid) returns table (address text, created_at timestamptz)
language sql stable as $$
  select w.address, w.created_at from svc.wallet w where w.account_id = _account order by w.created_at, w.address
$$;

-- What a wallet token is checked against.
create or replace function wallet.token_facts(_account uuid)
returns table (token_version integer, is_test boolean, is_suspended boolean) language sql stable as $$
  select a.token_version, a.is_test, a.suspended_at is not null from svc.account a where a.id = _account
$$;

-- The facts of the account of a token with which a call is made; notes the use of the wallet, to the minute. A wallet that a
-- payment has locked is noted at its next use.
create or replace function wallet.use_token(_account uuid, _address text)
returns table (token_version integer, is_test boolean, is_suspended boolean) language plpgsql as $$
begin
  update svc.wallet w set used_at = now() where w.address = (
    select used.address from svc.wallet used where used.address = lower(_address) and used.account_id = _account
      and coalesce(used.used_at, '-infinity') < now() - interval '1 minute' for no key update skip locked);
  return query select * from wallet.token_facts(_account);
end $$;

create or replace function wallet.revoke_tokens(_account uuid) returns void language plpgsql as $$
begin
  update svc.account set token_version = token_version + 1 where id = _account;
  perform pg_notify('changed', 'account');
end $$;

-- Links a wallet to an account. A wallet that had an account of its own brings its money, jobs and files along. The link is
-- refused if that account can be used by anything but this wallet, is in debt, suspended or has open work, or if only one of
-- the two accounts is for tests: one signature must not move what others may own.
create or replace function wallet.link(_address text, _account uuid) returns bigint language plpgsql as $$
declare
  _from uuid;
  _moved bigint := 0;
  _source svc.account;
  _target svc.account;
begin
  perform pg_advisory_xact_lock(hashtext('wallet ' || lower(_address)));
  select account_id into _from from svc.wallet where address = lower(_address);
  if _from is null then
    insert into svc.wallet (address, account_id) values (lower(_address), _account);
    perform session.tell_addition(_account, 'wallet', lower(_address));
    return 0;
  elsif _from = _account then
    return 0;
  end if;
  -- Accounts are locked before checkouts, as checkout.lock does. This lock also keeps new checkouts from being opened.
  perform from svc.account where id in (_from, _account) order by id for update;
  select * into _source from svc.account where id = _from;
  select * into _target from svc.account where id = _account;
  perform wallet.refuse_link(_source, _target);
  _moved := _source.balance_micros;
  if _moved > 0 then
    update svc.account set balance_micros = 0 where id = _from;
    update svc.account set balance_micros = balance_micros + _moved where id = _account;
    insert into svc.transfer (account_id, kind, amount_micros, reference)
      values (_from, 'link_out', _moved, lower(_address)), (_account, 'link_in', _moved, 'wallet ' || lower(_address));
  end if;
  update svc.wallet set account_id = _account, linked_at = now() where address = lower(_address);
  perform session.tell_addition(_account, 'wallet', lower(_address));
  update svc.checkout set account_id = _account where account_id = _from;
  update svc.object set account_id = _account where account_id = _from;
  update svc.payment set account_id = _account where account_id = _from;
  update svc.idempotency i set account_id = _account where account_id = _from
    and not exists (select from svc.idempotency o where o.account_id = _account and o.key = i.key);
  -- If both accounts used an idempotency key, it stays the target's, and the job of the wallet's account loses it.
  update svc.job j set account_id = _account, idempotency_key = (select i.key from svc.idempotency i
      where i.account_id = _account and i.key = j.idempotency_key and i.job_id = j.id)
    where account_id = _from;
  update svc.chunk set account_id = _account where account_id = _from;
  -- They have ended, but the calls that came along and the connectors name them.
  update svc.api_key set account_id = _account where account_id = _from;
  delete from svc.session where account_id = _from;
  update svc.lease l set account_id = _account where account_id = _from and not exists (select from svc.lease o
    where o.account_id = _account and o.workflow_id = l.workflow_id and o.ended_at is null);
  perform wallet.move_products(_from, _account);
  perform from svc.webhook_endpoint where account_id = _from order by id for no key update;
  update svc.webhook_endpoint set account_id = _account where account_id = _from;
  -- The emptied account cannot be reached any more. Suspended, it refuses calls and payments that were on their way to it, so
  -- that no money is stranded there.
  update svc.account set token_version = token_version + 1, suspended_at = now(), moved_to = _account where id = _from;
  update svc.account set moved_to = _account where moved_to = _from;
  perform pg_notify('changed', 'account');
  return _moved;
end $$;

-- Every product that keeps something of an account has a function of this name, which takes it along.
create or replace function wallet.move_products(_from uuid, _to uuid) returns void language plpgsql as $$
declare
  _schema text;
begin
  for _schema in select n.nspname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.proname = 'move_account' order by n.nspname loop
    execute format('select %I.move_account($1, $2)', _schema) using _from, _to;
  end loop;
end $$;

create or replace function wallet.refuse_link(_source svc.account, _target svc.account) returns void language plpgsql as $$
begin
  if _source.suspended_at is not null or _target.suspended_at is not null then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01';
  elsif _source.is_test <> _target.is_test or _source.debt_micros > 0
    or exists (select from svc.api_key k where k.account_id = _source.id
      and (key.is_valid(k) or (k.is_connector and k.revoked_at is null)))
    or exists (select from svc.identity where account_id = _source.id)
    or (select count(*) from svc.wallet where account_id = _source.id) > 1 then
    raise exception 'WALLET_TAKEN' using errcode = 'SVC01';
  elsif exists (select from svc.job where account_id = _source.id and status in ('submitted', 'running'))
    or exists (select from svc.chunk where account_id = _source.id and state in ('claimed', 'pending', 'sending', 'unknown')) then
    raise exception 'ACCOUNT_AT_WORK' using errcode = 'SVC01';
  end if;
end $$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists wallet.challenge(text, text, bigint, text, integer);

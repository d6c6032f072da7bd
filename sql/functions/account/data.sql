-- What the platform keeps of an account, for its owner; secrets and their hashes are left out.
create or replace function account.export(_account uuid) returns json language sql stable as $$
  select json_build_object('account', account.read(_account),
    'keys', (select coalesce(json_agg(to_jsonb(k) - '{hash,successor,account_id}'::text[] order by k.created_at), '[]')
      from svc.api_key k where k.account_id = _account),
    'identities', (select coalesce(json_agg(to_jsonb(i) - 'account_id'), '[]') from svc.identity i where i.account_id = _account),
    'wallets', (select coalesce(json_agg(to_jsonb(w) - 'account_id'), '[]') from svc.wallet w where w.account_id = _account),
    'sessions', (select coalesce(json_agg(to_jsonb(s) - '{hash,account_id}'::text[]), '[]')
      from svc.session s where s.account_id = _account),
    'jobs', (select coalesce(json_agg(to_jsonb(j) - '{account_id,key_hash,worker_id}'::text[] order by j.created_at, j.id), '[]')
      from svc.job j where j.account_id = _account),
    'transfers', (select coalesce(json_agg(to_jsonb(t) - 'account_id' order by t.id), '[]')
      from svc.transfer t where t.account_id = _account),
    'checkouts', (select coalesce(json_agg(to_jsonb(c) - 'account_id' order by c.created_at, c.id), '[]')
      from svc.checkout c where c.account_id = _account),
    'chunks', (select coalesce(json_agg(to_jsonb(c) - '{account_id,sealed}'::text[] order by c.created_at, c.id), '[]')
      from svc.chunk c where c.account_id = _account),
    'objects', (select coalesce(json_agg(to_jsonb(o) - 'account_id' order by o.created_at, o.key), '[]')
      from svc.object o where o.account_id = _account),
    'audit', (select coalesce(json_agg(to_jsonb(e) - 'account_id' order by e.subject_kind, e.subject_id, e.seq), '[]')
      from svc.audit_entry e where e.account_id = _account
        or e.account_id in (select a.id from svc.account a where a.moved_to = _account)))
$$;

-- Closes an account for its erasure: from now on every call is refused, and nothing is added. What is being added is waited for.
-- Refused itself while something of it goes on.
create or replace function account.close(_account uuid) returns void language plpgsql as $$
declare
  _held bigint;
  _jobs bigint;
  _payments bigint;
begin
  select held_micros into _held from svc.account where id = _account for update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  select count(*) into _jobs from svc.job where account_id = _account and status in ('submitted', 'running');
  select count(*) into _payments from (
    select from svc.chunk where account_id = _account and state not in ('settled', 'failed')
    union all select from svc.payment where account_id = _account and valid_before > now()) p;
  if _held > 0 or _jobs > 0 or _payments > 0 then
    raise exception 'ACCOUNT_IN_USE' using errcode = 'SVC01',
      detail = json_build_object('heldMicros', _held::text, 'openJobs', _jobs, 'openPayments', _payments)::text;
  end if;
  update svc.account set closed_at = coalesce(closed_at, now()) where id = _account;
  perform account.suspend(_account, true);
end $$;

-- The accounts of wallets that have joined one. What could not go along, because that one had the same, has stayed with them.
create or replace function account.list_joined(_account uuid) returns uuid[] language sql stable as $$
  select coalesce(array_agg(a.id order by a.id), '{}') from svc.account a where a.moved_to = _account
$$;

create or replace function account.list_objects(_account uuid, _limit integer) returns table (key text) language sql stable as $$
  select o.key from svc.object o where o.account_id = _account limit _limit
$$;

-- Deletes what the platform keeps of a closed account. The books stay: the account with its balance, its transfers, checkouts and
-- settled payments, without names, mail addresses and wallets.
create or replace function account.erase(_account uuid) returns void language plpgsql as $$
begin
  perform operator.erase_account(_account);
  delete from svc.sign_in_link l where l.account_id = _account
    or l.email in (select i.email from svc.identity i where i.account_id = _account);
  delete from svc.wallet_challenge where address in (select w.address from svc.wallet w where w.account_id = _account);
  delete from svc.identity where account_id = _account;
  delete from svc.wallet where account_id = _account;
  delete from svc.session where account_id = _account;
  delete from svc.payment where account_id = _account;
  delete from svc.idempotency where account_id = _account;
  delete from svc.job where account_id = _account;
  delete from svc.lane_rule where account_id = _account;
  delete from svc.api_key where account_id = _account;
  delete from svc.rate_count where strpos(bucket, _account::text) > 0;
  perform audit.erase_account(_account);
  update svc.plugin set author_id = null, share_percent = null where author_id = _account;
  update svc.chunk set payer = '', sealed = null, reason = null where account_id = _account;
  update svc.account set name = null, awaits_owner = false, signed_in_at = null, erased_at = coalesce(erased_at, now())
    where id = _account;
end $$;

-- A call below this is drawn down from credit; one of this or more is settled by itself.
create or replace function payment.chunk_micros() returns bigint language sql immutable as 'select 10000::bigint';
-- So many chunks of one account may be on their way to the chain at once.
create or replace function payment.most_open() returns integer language sql immutable as 'select 5';

-- Who a wallet is; nothing when it has never paid or signed in.
create or replace function payment.wallet(_address text)
returns table (account_id uuid, is_known boolean, is_suspended boolean) language sql stable as $$
  select w.account_id, w.settled_at is not null and a.debt_micros = 0, a.suspended_at is not null
  from svc.wallet w join svc.account a on a.id = w.account_id where w.address = _address
$$;

-- The account of a wallet, made with the proposed id when there is none.
create or replace function payment.open_wallet(_address text, _id uuid, _is_test boolean) returns uuid language plpgsql as $$
declare
  _account uuid;
begin
  select account_id into _account from svc.wallet where address = _address;
  if not found then
    -- Of two that come at once the second waits here, and then finds the first one's account.
    perform pg_advisory_xact_lock(hashtext('wallet ' || _address));
    select account_id into _account from svc.wallet where address = _address;
    if not found then
      insert into svc.account (id, name, is_test) values (_id, _address, _is_test);
      insert into svc.wallet (address, account_id) values (_address, _id) returning account_id into _account;
    end if;
  end if;
  return _account;
end $$;

-- Whether a nonce of a signed text is used here for the first time.
create or replace function payment.use_nonce(_nonce text, _expires_at timestamptz) returns boolean language sql as $$
  with used as (
    insert into svc.used_nonce (nonce, expires_at) values (_nonce, _expires_at) on conflict do nothing returning 1)
  select exists (select from used)
$$;

-- What is known of a batch's authorizations before its calls are taken: which were seen in earlier batches, and which are
-- there twice. Their accounts are locked first, so that no other batch can be at the same ones meanwhile.
create or replace function payment.known(_calls svc.call[], out _chunk_micros bigint, out _seen bigint[], out _twins bigint[])
language plpgsql as $$
declare
  _accounts uuid[];
begin
  _chunk_micros := payment.chunk_micros();
  _seen := '{}';
  _twins := '{}';
  select array_agg(distinct c.account_id) into _accounts from unnest(_calls) c where c.payment is not null;
  if _accounts is null then
    return;
  end if;
  select array_agg(distinct c.account_id) into _accounts from unnest(_calls) c;
  perform from svc.account where id = any (_accounts) order by id for no key update;
  select coalesce(array_agg(ord) filter (where is_seen), '{}'), coalesce(array_agg(ord) filter (where is_twin), '{}')
    into _seen, _twins from (
      select c.ord, row_number() over (partition by p.chain, p.asset, p.payer, p.nonce order by c.ord) > 1 as is_twin,
        earlier.is_seen is not null as is_seen
      from unnest(_calls) c
      cross join lateral json_to_record(c.payment) as p (chain bigint, asset text, payer text, nonce text)
      left join lateral (select true as is_seen from svc.payment s
        where s.chain_id = p.chain and s.asset = decode(substr(p.asset, 3), 'hex')
          and s.payer = decode(substr(p.payer, 3), 'hex') and s.nonce = decode(substr(p.nonce, 3), 'hex')
        limit 1) earlier on true
      where c.payment is not null) found;
end $$;

-- Notes the authorizations of calls that were drawn down, all at once.
create or replace function payment.note_drawn(_drawn svc.call[]) returns void language plpgsql as $$
begin
  if cardinality(_drawn) > 0 then
    insert into svc.payment (chain_id, asset, payer, nonce, account_id, job_id, fingerprint, valid_before)
      select p.chain, decode(substr(p.asset, 3), 'hex'), decode(substr(p.payer, 3), 'hex'), decode(substr(p.nonce, 3), 'hex'),
        c.account_id, c.id, decode(p.fp, 'hex'), p.before
      from unnest(_drawn) c cross join lateral json_to_record(c.payment)
        as p (chain bigint, asset text, payer text, nonce text, fp text, before timestamptz);
  end if;
end $$;

create or replace function payment.row_of(_pay json) returns svc.payment language sql stable as $$
  select p from svc.payment p where p.chain_id = (_pay ->> 'chain')::bigint
    and p.asset = decode(substr(_pay ->> 'asset', 3), 'hex') and p.payer = decode(substr(_pay ->> 'payer', 3), 'hex')
    and p.nonce = decode(substr(_pay ->> 'nonce', 3), 'hex')
$$;

-- What an authorization that has been seen before stands for: the same request is answered as before, any other refused.
create or replace function payment.earlier(_seen svc.payment, _fingerprint bytea, _ord bigint, _taken svc.call[])
returns json language plpgsql stable as $$
declare
  _job svc.job;
begin
  if _seen.fingerprint is distinct from _fingerprint then
    return json_build_array(_ord, 'used');
  elsif exists (select from unnest(_taken) t where t.id = _seen.job_id) then
    return json_build_array(_ord, 'again');
  end if;
  select * into _job from svc.job where id = _seen.job_id;
  if found then
    return json_build_array(_ord, case when _job.status = 'succeeded' or _job.is_async then 'replay'
      when _job.status in ('failed', 'expired') then 'used' else 'in_flight' end,
      _job.id, _job.status, _job.result, _job.charged_micros::text);
  elsif exists (select from svc.chunk c where c.id = _seen.chunk_id and not c.is_credited and c.state <> 'failed') then
    return json_build_array(_ord, 'in_flight', _seen.job_id);
  end if;
  return json_build_array(_ord, 'used');
end $$;

-- Whether an authorization was shown for this very request, and the call it was shown for was never taken.
create or replace function payment.is_unspent(_seen svc.payment, _call svc.call) returns boolean language sql stable as $$
  select _seen.fingerprint = decode(_call.payment ->> 'fp', 'hex') and not exists (select from svc.job j where j.id = _seen.job_id)
$$;

create or replace function payment.spend_on(_seen svc.payment, _job uuid) returns void language sql as $$
  update svc.payment set job_id = _job
    where chain_id = _seen.chain_id and asset = _seen.asset and payer = _seen.payer and nonce = _seen.nonce
$$;

-- Whether an authorization was shown here before, so that the chain need not be asked whether it is still good.
create or replace function payment.is_seen(_pay json) returns boolean language sql stable as $$
  select (payment.row_of(_pay)).nonce is not null
$$;

create or replace function payment.note(_call svc.call, _chunk uuid) returns void language sql as $$
  insert into svc.payment (chain_id, asset, payer, nonce, account_id, job_id, fingerprint, chunk_id, valid_before)
    select (p ->> 'chain')::bigint, decode(substr(p ->> 'asset', 3), 'hex'), decode(substr(p ->> 'payer', 3), 'hex'),
      decode(substr(p ->> 'nonce', 3), 'hex'), _call.account_id, _call.id, decode(p ->> 'fp', 'hex'), _chunk,
      (p ->> 'before')::timestamptz
    from (select _call.payment) as c (p)
$$;

create or replace function payment.open_chunk(_call svc.call, _state svc.chunk_state, _is_credited boolean) returns uuid
language sql as $$
  insert into svc.chunk (id, account_id, payer, chain_id, asset, symbol, amount_micros, state, is_credited, sealed, valid_before,
      sent_at)
    select (p -> 'chunk' ->> 'id')::uuid, _call.account_id, lower(p ->> 'payer'), (p ->> 'chain')::bigint, p ->> 'asset',
      p ->> 'sym', (p ->> 'value')::bigint, _state, _is_credited, p -> 'chunk' ->> 'sealed', (p ->> 'before')::timestamptz,
      case when _state = 'claimed' then now() end
    from (select _call.payment) as c (p) returning id
$$;

-- Puts a chunk's money into its account, and takes from it what an earlier one left unpaid. Gives what remains of it.
create or replace function payment.credit(_account uuid, _chunk svc.chunk) returns bigint language plpgsql as $$
begin
  update svc.account set balance_micros = balance_micros + _chunk.amount_micros where id = _account;
  insert into svc.transfer (account_id, kind, amount_micros, asset, reference)
    values (_account, 'chunk', _chunk.amount_micros, _chunk.symbol, _chunk.id::text);
  return _chunk.amount_micros;
end $$;

-- Pays off what can be paid of an account's debt and gives how much that was.
create or replace function payment.repay(_account uuid, _available bigint) returns bigint language plpgsql as $$
declare
  _paid bigint;
begin
  select least(debt_micros, _available) into _paid from svc.account where id = _account;
  if _paid > 0 then
    update svc.account set balance_micros = balance_micros - _paid, debt_micros = debt_micros - _paid where id = _account;
    insert into svc.transfer (account_id, kind, amount_micros) values (_account, 'repay', _paid);
  end if;
  return coalesce(_paid, 0);
end $$;

-- How a call that came with a payment is funded, its account being locked. `_gained` is by how much the balance has grown;
-- the answer says `paid`, or why the call is not taken; `_is_due` that a chunk waits to be broadcast.
create or replace function payment.fund(
  _call svc.call, _left bigint, _taken svc.call[], out _gained bigint, out _answer json, out _is_due boolean)
language plpgsql as $$
declare
  _pay json := _call.payment;
  _seen svc.payment := payment.row_of(_pay);
  _chunk svc.chunk;
  _price bigint := _call.amount_micros;
  _owes boolean := (select debt_micros > 0 from svc.account where id = _call.account_id);
begin
  _gained := 0;
  _is_due := false;
  if _seen.nonce is not null then
    select * into _chunk from svc.chunk where id = _seen.chunk_id for update;
    if _chunk.state = 'claimed' and not _chunk.is_credited and _seen.job_id = _call.id and _pay ->> 'tx' is not null then
      _gained := payment.credit(_call.account_id, _chunk);
      update svc.chunk set state = 'settled', is_credited = true, tx_hash = _pay ->> 'tx', sealed = null, ended_at = now()
        where id = _chunk.id;
      update svc.wallet set settled_at = now() where address = _chunk.payer;
      _gained := _gained - payment.repay(_call.account_id, _left + _gained);
    elsif _chunk.state = 'settled' and payment.is_unspent(_seen, _call)
      and not exists (select from unnest(_taken) t where t.id = _seen.job_id) then
      -- It arrived after its call had given up: what it brought is credit, and may still pay the call it was meant for.
      null;
    else
      _answer := payment.earlier(_seen, decode(_pay ->> 'fp', 'hex'), _call.ord, _taken);
      return;
    end if;
    if _left + _gained < _price then
      perform payment.forget_key(_chunk.id);
      _answer := json_build_array(_call.ord, 'short', (_left + _gained)::text);
      return;
    end if;
    perform payment.spend_on(_seen, _call.id);
  elsif _price < payment.chunk_micros() and _left >= _price and not _owes then
    perform payment.note(_call, null);
  elsif payment.may_open(_call, _owes) then
    perform payment.note(_call, payment.open_chunk(_call, 'pending', true));
    select * into _chunk from svc.chunk where id = (_pay -> 'chunk' ->> 'id')::uuid;
    _gained := payment.credit(_call.account_id, _chunk);
    _is_due := true;
  else
    _answer := json_build_array(_call.ord, 'unfunded');
    return;
  end if;
  _answer := json_build_array(_call.ord, 'paid', _chunk.id, (_left + _gained - _price)::text,
    coalesce(_pay ->> 'tx', _chunk.tx_hash));
end $$;

-- Work may begin on a payment that has not arrived only for a small price and a wallet whose payments have arrived so far.
create or replace function payment.may_open(_call svc.call, _owes boolean) returns boolean language plpgsql stable as $$
begin
  return _call.payment -> 'chunk' is not null and not _owes and _call.amount_micros < payment.chunk_micros()
    and (_call.payment ->> 'value')::bigint >= payment.chunk_micros()
    and exists (select from svc.wallet where address = lower(_call.payment ->> 'payer') and settled_at is not null)
    and (select count(*) from svc.chunk where account_id = _call.account_id
      and state in ('claimed', 'pending', 'sending', 'unknown')) < payment.most_open();
end $$;

-- Decision 0198: book draw-downs in the asset of the credit.

-- A call that costs less is drawn down from credit; one that costs this much or more is settled by itself.
create or replace function payment.chunk_micros() returns bigint language sql immutable as 'select 10000::bigint';
-- How many chunks of one account may be on their way to the chain at once.
create or replace function payment.max_open_chunks() returns integer language sql immutable as 'select 5';

-- The account of a wallet; no row if it has never paid or signed in.
create or replace function payment.find_wallet(_address text)
returns table (account_id uuid, is_known boolean, is_suspended boolean) language sql stable as $$
  select w.account_id, w.settled_at is not null and a.debt_micros = 0, a.suspended_at is not null
  from svc.wallet w join svc.account a on a.id = w.account_id where w.address = _address
$$;

-- The account of a wallet, created with the proposed id if there is none.
create or replace function payment.open_wallet(_address text, _id uuid, _is_test boolean) returns uuid language plpgsql as $$
declare
  _account uuid;
begin
  select account_id into _account from svc.wallet where address = _address;
  if not found then
    -- Of two concurrent calls the second waits here and then finds the account of the first.
    perform pg_advisory_xact_lock(hashtext('wallet ' || _address));
    select account_id into _account from svc.wallet where address = _address;
    if not found then
      insert into svc.account (id, name, is_test) values (_id, _address, _is_test);
      insert into svc.wallet (address, account_id) values (_address, _id) returning account_id into _account;
    end if;
  end if;
  return _account;
end $$;

-- Marks the nonce of a signed text as used. Returns whether it was unused.
create or replace function payment.use_nonce(_nonce text, _expires_at timestamptz) returns boolean language sql as $$
  with used as (
    insert into svc.used_nonce (nonce, expires_at) values (_nonce, _expires_at) on conflict do nothing returning 1)
  select exists (select from used)
$$;

-- Finds the numbers of the calls whose authorization was shown before, in an earlier batch or in this one; `_duplicates` has
-- only the latter. All accounts of the batch are locked first, so that no other batch takes calls of the same ones meanwhile.
create or replace function payment.find_repeats(_calls svc.call[], out _ords bigint[], out _duplicates bigint[],
  out _chunk_micros bigint) language plpgsql as $$
begin
  _ords := '{}';
  _duplicates := '{}';
  _chunk_micros := payment.chunk_micros();
  if not exists (select from unnest(_calls) c where c.payment is not null) then
    return;
  end if;
  perform from svc.account where id = any (array(select c.account_id from unnest(_calls) c)) order by id for no key update;
  select coalesce(array_agg(ord) filter (where is_seen or is_duplicate), '{}'),
      coalesce(array_agg(ord) filter (where is_duplicate), '{}')
    into _ords, _duplicates from (
      select c.ord, row_number() over (partition by p.chain, p.asset, p.payer, p.nonce order by c.ord) > 1 as is_duplicate,
        earlier.is_seen is not null as is_seen
      from unnest(_calls) c
      cross join lateral json_to_record(c.payment) as p (chain bigint, asset text, payer text, nonce text)
      left join lateral (select true as is_seen from svc.payment s
        where s.chain_id = p.chain and s.asset = decode(substr(p.asset, 3), 'hex')
          and s.payer = decode(substr(p.payer, 3), 'hex') and s.nonce = decode(substr(p.nonce, 3), 'hex')
        limit 1) earlier on true
      where c.payment is not null) shown;
end $$;

-- Notes the authorizations of the calls that were drawn down from credit, all at once, and has new chunks broadcast soon.
create or replace function payment.finish_batch(_drawn svc.call[], _is_due boolean) returns void
language plpgsql as $$
begin
  if cardinality(_drawn) > 0 then
    insert into svc.payment (chain_id, asset, payer, nonce, account_id, job_id, fingerprint, valid_before)
      select p.chain, decode(substr(p.asset, 3), 'hex'), decode(substr(p.payer, 3), 'hex'), decode(substr(p.nonce, 3), 'hex'),
        c.account_id, c.id, decode(p.fp, 'hex'), p.before
      from unnest(_drawn) c cross join lateral json_to_record(c.payment)
        as p (chain bigint, asset text, payer text, nonce text, fp text, before timestamptz);
  end if;
  if _is_due then
    perform lane_remote.add_job('chore_settle_chunks', job_key := 'settle_chunks', max_attempts := 3);
  end if;
end $$;

create or replace function payment.row_of(_pay json) returns svc.payment language sql stable as $$
  select p from svc.payment p where p.chain_id = (_pay ->> 'chain')::bigint
    and p.asset = decode(substr(_pay ->> 'asset', 3), 'hex') and p.payer = decode(substr(_pay ->> 'payer', 3), 'hex')
    and p.nonce = decode(substr(_pay ->> 'nonce', 3), 'hex')
$$;

-- Answers a call whose authorization was shown before: the same request is answered as before, any other is refused.
create or replace function payment.answer_repeat(_seen svc.payment, _fingerprint bytea, _ord bigint, _taken svc.call[])
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

-- Whether a call of the account still waits for its payment to arrive.
create or replace function payment.has_claim(_account uuid) returns boolean language plpgsql stable as $$
begin
  return exists (select from svc.chunk where account_id = _account and state in ('claimed', 'unknown') and not is_credited);
end $$;

-- Whether an authorization was shown for this same request and the call it came with was never taken.
create or replace function payment.is_unspent(_seen svc.payment, _call svc.call) returns boolean language sql stable as $$
  select _seen.fingerprint = decode(_call.payment ->> 'fp', 'hex') and not exists (select from svc.job j where j.id = _seen.job_id)
$$;

create or replace function payment.spend_on(_seen svc.payment, _job uuid) returns void language sql as $$
  update svc.payment set job_id = _job
    where chain_id = _seen.chain_id and asset = _seen.asset and payer = _seen.payer and nonce = _seen.nonce
$$;

-- Whether an authorization was shown before; then the chain need not be asked whether it is still valid.
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

-- Credits the money of a chunk to its account and returns it.
create or replace function payment.credit(_account uuid, _chunk svc.chunk) returns bigint language plpgsql as $$
begin
  update svc.account set balance_micros = balance_micros + _chunk.amount_micros where id = _account;
  insert into svc.transfer (account_id, kind, amount_micros, asset, reference)
    values (_account, 'chunk', _chunk.amount_micros, _chunk.symbol, _chunk.id::text);
  return _chunk.amount_micros;
end $$;

-- A call that credit pays is booked in the asset that the credit came in: of what its signature names, nothing moves.
-- The answer to the call names the chunk of a payment that is new.
create or replace function payment.book_in_credit(_call svc.call, _answer json) returns svc.call language plpgsql stable as $$
declare
  _asset text;
begin
  if _call.payment is null or _answer ->> 2 is not null then
    return _call;
  end if;
  select a.credit_asset into _asset from svc.account a where a.id = _call.account_id;
  if _asset <> _call.payment ->> 'sym' then
    _call.payment := _call.payment::jsonb || jsonb_build_object('sym', _asset);
  end if;
  return _call;
end $$;

-- Pays off as much of an account's debt as the available money allows, and returns how much that was.
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

-- Funds a call by its payment, its account being locked. `_gained` is by how much the balance has grown; the answer says
-- `paid`, or why the call is refused; `_is_due` means that a new chunk waits to be broadcast.
create or replace function payment.fund_call(_call svc.call, _left bigint, _taken svc.call[], _is_duplicate boolean,
  out _gained bigint, out _answer json, out _is_due boolean) language plpgsql as $$
declare
  _pay json := _call.payment;
  _seen svc.payment := payment.row_of(_pay);
  _chunk svc.chunk;
  _price bigint := _call.amount_micros;
  _owes boolean := (select debt_micros > 0 from svc.account where id = _call.account_id);
begin
  _gained := 0;
  _is_due := false;
  if _is_duplicate then
    _answer := json_build_array(_call.ord, 'again');
    return;
  elsif _seen.nonce is not null then
    select * into _chunk from svc.chunk where id = _seen.chunk_id for update;
    if _chunk.state = 'claimed' and not _chunk.is_credited and _seen.job_id = _call.id and _pay ->> 'tx' is not null then
      _gained := payment.credit(_call.account_id, _chunk);
      -- It pays for its own call, so only the rest of it becomes credit.
      perform account.note_asset(_call.account_id, _chunk.symbol, _left, _chunk.amount_micros - _price);
      update svc.chunk set state = 'settled', is_credited = true, tx_hash = _pay ->> 'tx', sealed = null, ended_at = now()
        where id = _chunk.id;
      update svc.wallet set settled_at = now() where address = _chunk.payer;
      _gained := _gained - payment.repay(_call.account_id, _left + _gained);
    elsif _chunk.state = 'settled' and payment.is_unspent(_seen, _call)
      and not exists (select from unnest(_taken) t where t.id = _seen.job_id) then
      -- The payment arrived after its call had given up. It became credit then, and may still pay for that call.
      null;
    else
      _answer := payment.answer_repeat(_seen, decode(_pay ->> 'fp', 'hex'), _call.ord, _taken);
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
    perform account.note_asset(_call.account_id, _chunk.symbol, greatest(_left - _price, 0), _chunk.amount_micros);
    _is_due := true;
  else
    _answer := json_build_array(_call.ord, 'unfunded');
    return;
  end if;
  _answer := json_build_array(_call.ord, 'paid', _chunk.id, (_left + _gained - _price)::text,
    coalesce(_pay ->> 'tx', _chunk.tx_hash));
end $$;

-- Whether work may begin before its payment has arrived: only for a small price, and if the wallet's payments have always
-- arrived so far.
create or replace function payment.may_open(_call svc.call, _owes boolean) returns boolean language plpgsql stable as $$
begin
  return _call.payment -> 'chunk' is not null and not _owes and _call.amount_micros < payment.chunk_micros()
    and (_call.payment ->> 'value')::bigint >= payment.chunk_micros()
    and exists (select from svc.wallet where address = lower(_call.payment ->> 'payer') and settled_at is not null)
    and (select count(*) from svc.chunk where account_id = _call.account_id
      and state in ('claimed', 'pending', 'sending', 'unknown')) < payment.max_open_chunks();
end $$;

-- Former names. Batches may be inside them while a database is upgraded, so they stay for one deploy; the next one runs:
-- drop function if exists payment.known(svc.call[]), payment.note_drawn(svc.call[]), payment.fund(svc.call, bigint, svc.call[]),
--   payment.earlier(svc.payment, bytea, bigint, svc.call[]), payment.most_open();

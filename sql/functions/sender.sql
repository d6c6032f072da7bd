-- Decision 0040: settle from one wallet, one transaction at a time.

-- Locks the wallet that settlements are sent from until the transaction ends, so that all processes send one after the other.
-- Returns the nonce of the next transaction if one was sent in the last 30 seconds, because a provider with many nodes may not
-- count that one yet. An older note is ignored, so that a transaction that never arrived leaves no gap.
create or replace function sender.claim(_chain_id bigint, _address text) returns bigint language plpgsql as $$
declare _next bigint;
begin
  insert into svc.sender (chain_id, address) values (_chain_id, lower(_address)) on conflict do nothing;
  select case when noted_at > now() - interval '30 seconds' then next_nonce end into _next
    from svc.sender where chain_id = _chain_id and address = lower(_address) for update;
  return _next;
end $$;

create or replace function sender.note(_chain_id bigint, _address text, _next_nonce bigint) returns void language sql as $$
  update svc.sender set next_nonce = _next_nonce, noted_at = clock_timestamp()
    where chain_id = _chain_id and address = lower(_address)
$$;

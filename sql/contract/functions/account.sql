create or replace function contract.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(contract.show(c, true)::jsonb || jsonb_build_object('files', (
      select coalesce(json_agg(json_build_object('disputeId', contract.format_dispute_id(d.id), 'evidenceId', 'e' || e.position,
        'name', f.name, 'base64', encode(f.content, 'base64')) order by d.created_at, e.position), '[]')
      from svc.contract_dispute d join svc.contract_evidence e on e.dispute_id = d.id join svc.contract_file f on f.evidence_id = e.id
      where d.contract_id = c.id)) order by c.created_at, c.id), '[]')
  from svc.contract c where c.account_id = _account
$$;

-- What an account has made goes with it. Where it was a party to a contract of others, its signature and what it has written stay with
-- them, and so do the hashes of the files that it has handed in, but not the files.
-- Contracts of others keep naming the account as a party (Decision 0771).
create or replace function contract.erase_account(_account uuid) returns void language sql as $$
  delete from svc.contract where account_id = _account;
  delete from svc.contract_file f using svc.contract_evidence e, svc.contract_dispute d, svc.contract_party p
    where e.id = f.evidence_id and d.id = e.dispute_id and p.contract_id = d.contract_id and p.key = e.party_key
      and p.signed_by = _account;
  update svc.contract_party set signed_by = null where signed_by = _account;
$$;

-- Deletes contracts that came to nothing so many days ago, with their logs. Returns how many.
create or replace function contract.forget(_days integer, _limit integer) returns bigint language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.contract where state in ('declined', 'expired', 'withdrawn')
    and state_at < now() - make_interval(days => _days) limit _limit for update skip locked);
begin
  perform audit.erase_subjects('contract', _ids);
  delete from svc.contract where id = any (_ids);
  return cardinality(_ids);
end $$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function contract.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.contract set account_id = _to where account_id = _from;
  update svc.contract_dispute set account_id = _to where account_id = _from;
  update svc.contract_party set customer_id = _to where customer_id = _from;
  update svc.contract_party set signed_by = _to where signed_by = _from;
$$;

-- Records the ruling of the operator who acts, under their name.
create or replace function contract.rule_as_operator(_id uuid, _ruling json, _jws text) returns void language plpgsql as $$
begin
  perform operator.require('full');
  if not contract.names_operator(_id) then
    raise exception 'DISPUTE_NOT_DUE' using errcode = 'SVC01';
  end if;
  perform contract.rule(_id, _ruling, _jws, 'operator');
  perform operator.record('dispute.rule', contract.format_dispute_id(_id), null, _ruling::jsonb, null);
end $$;

-- Whether the contract of a dispute names the operator, and no model, as its arbitrator.
create or replace function contract.names_operator(_id uuid) returns boolean language sql stable as $$
  select exists (select from svc.contract_dispute d join svc.contract c on c.id = d.contract_id
    where d.id = _id and c.document::json #>> '{arbitration,arbitrator}' = 'operator')
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function screening.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.screening set account_id = _to where account_id = _from;
  update svc.screening_list set account_id = _to where account_id = _from;
  update svc.screening_monitor set account_id = _to where account_id = _from;
  update svc.screening_dismissal d set account_id = _to where d.account_id = _from and not exists (
    select from svc.screening_dismissal o where o.account_id = _to and o.subject_key = d.subject_key and o.entity_id = d.entity_id);
$$;

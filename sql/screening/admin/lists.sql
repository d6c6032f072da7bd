-- Asks for a fresh copy of a public list, which a step loads.
create or replace function admin.refresh_list(_list text) returns boolean language plpgsql volatile as $$
begin
  perform operator.require('support');
  if not exists (select from svc.screening_list l where l.key = _list and l.account_id is null) then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform screening.queue_refresh(_list, 0);
  perform operator.record('screening.refresh', _list, null, null, null);
  return true;
end $$;

-- What a load has stored is removed in parts when it does not become current. Until the last of them it is dropping.
alter table svc.screening_version drop constraint screening_version_state_check;
alter table svc.screening_version add constraint screening_version_state_check
  check (state in ('loading', 'dropping', 'active', 'refused', 'abandoned', 'forgotten'));
drop function if exists screening.drop_load(integer, text);

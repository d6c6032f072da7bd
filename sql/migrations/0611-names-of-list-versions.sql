-- How many aliases and identifiers the entries of a version have, so that a file that has lost them is refused. Only the current
-- version is compared with a new file.
alter table svc.screening_version add column aliases integer not null default 0, add column identifiers integer not null default 0;
update svc.screening_version v set aliases = c.aliases, identifiers = c.identifiers
from (
  select l.current_version, sum(greatest(jsonb_array_length(e.body -> 'names') - 1, 0)) as aliases,
    sum(jsonb_array_length(e.body -> 'identifiers')) as identifiers
  from svc.screening_list l join svc.screening_entity e on e.list_id = l.id and e.first_version <= l.current_version
    and (e.end_version is null or e.end_version > l.current_version)
  group by l.current_version) c
where v.id = c.current_version;
drop function if exists screening.note_seen(integer, text[], text[]);

-- In how many entries a word is. It changes with every load, and in a table with the keys each change would write those anew.
create table svc.screening_word_count (
  word_id integer primary key,
  entries integer not null
) with (fillfactor = 60);
insert into svc.screening_word_count (word_id, entries)
  select w.word, count(*) from svc.screening_entity e, unnest(e.words) as w (word) group by w.word;
alter table svc.screening_word drop column entries;

-- What a load has written and no index has yet is searched row by row: with the default of 4 MB, 150 ms in every call.
alter index svc.screening_word_by_key set (gin_pending_list_limit = 256);
alter index svc.screening_entity_by_word set (gin_pending_list_limit = 256);

drop function if exists screening.activate(integer, json, numeric, integer);
drop function if exists screening.is_same(svc.screening_version, integer, integer, integer);
drop function if exists screening.count_words(integer, integer);
drop function if exists screening.forget_versions(integer, integer);

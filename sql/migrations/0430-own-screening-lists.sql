-- Words of an uploaded list are of that list alone, so that no account changes what others find (Decision 0430).
alter table svc.screening_word add column list_id integer;
alter table svc.screening_word drop constraint screening_word_word_key;
create unique index screening_word_of_list on svc.screening_word (word, coalesce(list_id, 0));
create index screening_word_of_own_list on svc.screening_word (list_id) where list_id is not null;
alter table svc.screening_list drop column columns;
drop function if exists screening.find_words(integer[]);

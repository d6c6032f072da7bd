-- Which entries have a word, so that those of many words are read from one index. A trigger keeps it, so that no release and no
-- function stores an entry that cannot be found.
create table svc.screening_posting (
  word_id integer not null,
  entity_id bigint not null,
  primary key (word_id, entity_id)
);

lock table svc.screening_entity in share row exclusive mode;
insert into svc.screening_posting (word_id, entity_id)
  select w.word, e.id from svc.screening_entity e, unnest(e.words) as w (word) group by 1, 2 order by 1, 2;

create function svc.post_words() returns trigger language plpgsql as $$
begin
  insert into svc.screening_posting (word_id, entity_id)
    select w.word, s.id from stored s, unnest(s.words) as w (word) group by 1, 2 order by 1, 2;
  return null;
end $$;
create trigger post_words after insert on svc.screening_entity referencing new table as stored
  for each statement execute function svc.post_words();

create function svc.remove_postings() returns trigger language plpgsql as $$
begin
  delete from svc.screening_posting p using removed r, unnest(r.words) as w (word) where p.word_id = w.word and p.entity_id = r.id;
  return null;
end $$;
create trigger remove_postings after delete on svc.screening_entity referencing old table as removed
  for each statement execute function svc.remove_postings();

drop index svc.screening_entity_by_word;

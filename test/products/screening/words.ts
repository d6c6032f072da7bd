import { type Db, rows } from '../../../sql/db.ts'

/** Words whose number of entries is not that of the entries with them, or whose entries are found by another number of rows. */
export function listMiscounted(db: Db): Promise<{ word: number }[]> {
  return rows(
    db,
    `with had as (select w.word, count(*) as entries from svc.screening_entity e, unnest(e.words) as w (word) group by 1),
     counted as (select word_id as word, entries from svc.screening_word_count where entries <> 0),
     posted as (select p.word_id as word, count(*) as entries
       from svc.screening_posting p join svc.screening_entity e on e.id = p.entity_id and p.word_id = any (e.words) group by 1),
     rows_of as (select word_id as word, count(*) as entries from svc.screening_posting group by 1)
     select word from had full join counted using (word) full join posted using (word) full join rows_of using (word)
     where had.entries is distinct from counted.entries or had.entries is distinct from posted.entries
       or had.entries is distinct from rows_of.entries`,
  )
}

-- Reads the whole table and lets calls go on.
alter table svc.transfer validate constraint transfer_start_ends;

-- Until when a log whose content is due for removal is kept for those who read it.
alter table svc.baton add column read_until timestamptz;

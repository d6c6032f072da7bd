-- Whoever stores an image of a page is told whether its document is still there.
drop function if exists esigndoc.store_page(json);

/** Writes what the reader of a Word document takes out of its text: paragraphs styled as title, subtitle and so on. */
const keepMetadata = (names: readonly string[]) => `
local function addValue(blocks, name, value)
  local kind = pandoc.utils.type(value)
  if kind == 'Blocks' then blocks:extend(value) return end
  local inlines = kind == 'Inlines' and value or pandoc.Inlines(pandoc.utils.stringify(value))
  blocks:insert(name == 'title' and pandoc.Header(1, inlines) or pandoc.Para(inlines))
end
function Pandoc(doc)
  local blocks = pandoc.Blocks {}
  for _, name in ipairs { ${names.map(name => `'${name}'`).join(', ')} } do
    local value = doc.meta[name]
    local isList = value ~= nil and pandoc.utils.type(value) == 'List'
    for _, one in ipairs(isList and value or { value }) do addValue(blocks, name, one) end
    doc.meta[name] = nil
  end
  blocks:extend(doc.blocks)
  return pandoc.Pandoc(blocks, doc.meta)
end`

export const FILTERS = {
  'drop-images.lua': 'function Image(image) return image.caption end',
  // A slide cannot hold a table inside of a division, as the cells of notebooks are.
  'unwrap.lua':
    'local kept = { columns = true, column = true, notes = true, incremental = true, nonincremental = true }\n' +
    'function Div(div) for _, name in ipairs(div.classes) do if kept[name] then return nil end end return div.content end',
  // Markdown shows the wrappers that pages and e-books style their texts with as tags of HTML.
  'drop-wrappers.lua':
    "function Div(div) if div.classes:includes 'notes' then return nil end return div.content end\n" +
    'function Span(span) return span.content end',
  // Paragraphs of slides that were marked as items become lists within lists.
  'slide-lists.lua': `
local function readItem(block)
  local first = (block.t == 'Para' or block.t == 'Plain') and block.content[1]
  if not first or first.t ~= 'Str' then return nil end
  local kind, level, rest = first.text:match('^\u{F8E0}([bn])(%d)\u{F8E1}(.*)$')
  if not kind then return nil end
  local inlines = pandoc.Inlines(block.content)
  if rest ~= '' then inlines[1] = pandoc.Str(rest) else inlines:remove(1) end
  if inlines[1] and inlines[1].t == 'Space' then inlines:remove(1) end
  return { kind = kind, level = tonumber(level), block = pandoc.Plain(inlines) }
end
local function makeList(items, from, level)
  local kind, list, at = items[from].kind, {}, from
  -- What is deeper and has no item above it stands beside the others.
  local function isInner(item) return #list > 0 and item.level > level end
  while items[at] and items[at].level >= level and (isInner(items[at]) or items[at].kind == kind) do
    if isInner(items[at]) then
      local inner
      inner, at = makeList(items, at, level + 1)
      table.insert(list[#list], inner)
    else
      table.insert(list, { items[at].block })
      at = at + 1
    end
  end
  return kind == 'n' and pandoc.OrderedList(list) or pandoc.BulletList(list), at
end
function Blocks(blocks)
  local written, items = pandoc.Blocks {}, {}
  local function flush()
    local at, level = 1, 9
    for _, item in ipairs(items) do level = math.min(level, item.level) end
    while items[at] do
      local list
      list, at = makeList(items, at, level)
      written:insert(list)
    end
    items = {}
  end
  for _, block in ipairs(blocks) do
    local item = readItem(block)
    if item then table.insert(items, item) else flush() written:insert(block) end
  end
  flush()
  return written
end`,
  // Texts of slides that were marked as bold, italic, struck or a link become so.
  'slide-formats.lua': `
local function wrap(inlines, flags, link)
  if flags:find 'S' then inlines = pandoc.Inlines { pandoc.Strikeout(inlines) } end
  if flags:find 'I' then inlines = pandoc.Inlines { pandoc.Emph(inlines) } end
  if flags:find 'B' then inlines = pandoc.Inlines { pandoc.Strong(inlines) } end
  if link == '' then return inlines end
  local address = link:gsub('%x%x', function (digits) return string.char(tonumber(digits, 16)) end)
  return pandoc.Inlines { pandoc.Link(inlines, address) }
end
function Inlines(inlines)
  local written, inner, flags, link = pandoc.Inlines {}, nil, '', ''
  local function add(inline) if inner then inner:insert(inline) else written:insert(inline) end end
  local function addText(text) if text ~= '' then add(pandoc.Str(text)) end end
  local function close()
    if inner then written:extend(wrap(inner, flags, link)) end
    inner = nil
  end
  local function readText(text)
    local first, last, newFlags, newLink = text:find '\u{F8E2}([BIS]*)L?([0-9a-f]*)\u{F8E3}'
    local stop, past = text:find('\u{F8E4}', 1, true)
    if first and (not stop or first < stop) then
      addText(text:sub(1, first - 1))
      close()
      inner, flags, link = pandoc.Inlines {}, newFlags, newLink
      return text:sub(last + 1)
    end
    addText(text:sub(1, (stop or 0) - 1))
    if stop then close() end
    return stop and text:sub(past + 1) or ''
  end
  for _, inline in ipairs(inlines) do
    local text = inline.t == 'Str' and inline.text or ''
    if text == '' then add(inline) end
    while text ~= '' do text = readText(text) end
  end
  close()
  return written
end`,
  'keep-title.lua': keepMetadata(['title', 'subtitle', 'author', 'date', 'abstract']),
  'keep-subtitle.lua': keepMetadata(['subtitle']),
  // A page must have a title; pandoc would take its name for the input.
  'page-title.lua': `
function Meta(meta)
  local isNamed = meta.pagetitle ~= nil or pandoc.utils.stringify(meta.title or '') ~= ''
  if not isNamed then meta.pagetitle = 'Document' end
  return meta
end`,
}

type Filter = keyof typeof FILTERS

/** What a whole document of these formats has no place for. */
const LOST_IN_DOCUMENTS: Partial<Record<string, Filter>> = {
  plain: 'keep-title.lua',
  ipynb: 'keep-title.lua',
  rtf: 'keep-subtitle.lua',
  org: 'keep-subtitle.lua',
  asciidoc: 'keep-subtitle.lua',
}

/** The filter that keeps the title of a Word document where the output would lose it; a fragment has none. */
export function titleFilters(from: string, to: string, isStandalone: boolean): Filter[] {
  if (from !== 'docx') return []
  const filter = isStandalone ? LOST_IN_DOCUMENTS[to] : 'keep-title.lua'
  return filter ? [filter] : []
}

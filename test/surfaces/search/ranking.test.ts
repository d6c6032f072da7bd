import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { buildSearchIndex, findEntries } from '../../../api/surfaces/search/ranking.ts'
import { isSearched, searchCalls } from '../../../api/surfaces/search/results.ts'
import { stem } from '../../../api/surfaces/search/words.ts'
import { BLIND_QUERIES } from './blind-queries.ts'
import { QUERIES } from './queries.ts'
import { UNFULFILLED_QUERIES } from './unfulfilled-queries.ts'
import { UNSEEN_QUERIES } from './unseen-queries.ts'

const { entries } = await loadCatalog()
const names = new Set(entries.filter(({ tool }) => tool !== undefined).map(({ name }) => name))
const index = buildSearchIndex(entries.filter(isSearched))
const find = (query: string) => findEntries(index, query, 5).ranked.map(({ entry }) => entry.name)

test.each([
  ['wishes written with the keywords in view', QUERIES, 0.88, 0.98],
  ['wishes of someone who has not seen the keywords', BLIND_QUERIES, 0.88, 0.95],
  ['wishes of another one, also for people and agreements', UNSEEN_QUERIES, 0.88, 0.95],
])('%s: the right call is first, and among five', (_title, queries, first, five) => {
  // What is no tool is not found by an agent, who could not call it.
  const reachable = queries.filter(([, ...right]) => right.some(name => names.has(name)))
  const places = reachable.map(([query, ...right]) => find(query).findIndex(name => right.includes(name)))
  const missed = reachable.filter((_, at) => places[at] === -1).map(([query]) => `${query}: ${find(query).join(', ')}`)
  expect(reachable.length).toBeGreaterThanOrEqual(200)
  expect(places.filter(place => place === 0).length / reachable.length).toBeGreaterThanOrEqual(first)
  expect(places.filter(place => place >= 0).length / reachable.length, missed.join('\n')).toBeGreaterThanOrEqual(five)
})

test('the wishes that an agent begins with have the right first answer', () => {
  const missed = BLIND_QUERIES.slice(0, 7).filter(([query, ...right]) => !right.includes(find(query)[0]!))
  expect(missed.map(([query]) => [query, find(query)])).toEqual([])
})

test('what cannot run here never stands first', () => {
  const search = (isAvailable: (name: string) => boolean) =>
    searchCalls(entries, { query: 'speech to text', limit: 3 }, { isAvailable }).results
  expect(search(() => true)[0]).toMatchObject({ name: 'media.transcribe' })
  expect(search(() => true)[0]).not.toHaveProperty('isAvailable')
  const [first, second] = search(name => name !== 'media.transcribe')
  expect(first).not.toHaveProperty('isAvailable')
  expect(second).toMatchObject({ name: 'media.transcribe', isAvailable: false })
})

test('where the best match cannot run here, the answer says that another stands first', () => {
  const search = (isAvailable: (name: string) => boolean) =>
    searchCalls(entries, { query: 'is this photo nsfw', limit: 3 }, { isAvailable })
  expect(search(() => true)).not.toHaveProperty('note')
  const { results, note } = search(name => name !== 'vision.moderate')
  expect(results[1]!.name).toBe('vision.moderate')
  expect(note).toMatch(/^vision\.moderate fits best, but cannot run here/)
})

test.each([
  ['tell me when balance is low', 'account.set-balance-alarm'],
  ['corrupt docx repair', 'office.rescue'],
  ['sign payload with secret', 'utils.hmac'],
  ['send same contract to 50 people', 'esigndoc.create-batch'],
  ['proof who signed', 'esigndoc.read-evidence'],
  ['poster frame of a video', 'media.thumbnail'],
  ['what form fields does this pdf have', 'pdf.form'],
  ['inbox for messages', 'leases.create-mailbox'],
  ['sum by category', 'data.groupby'],
  ['how many pages does this pdf have', 'pdf.metadata'],
  ['hide social security numbers', 'pdf.redact'],
  ['xrechnung xml', 'generate.invoice'],
  ['change image dpi', 'image.convert'],
  ['data matrix code', 'codes.barcode'],
  ['remove audio from video', 'media.convert'],
  ['contact sheet of a video', 'media.storyboard'],
  ['trim whitespace in columns', 'data.derive'],
  ['unified diff', 'text.diff'],
  ['xml to json', 'text.xml'],
  ['is this text toxic', 'llm.classify'],
  ['write the result of a call into a baton', 'baton.write'],
  ['take subtitles out of a video as srt', 'media.subtitle-extract'],
  ['invoice number and total from a pdf invoice', 'doc.parse-invoice'],
  ['take a lock so that nobody else deploys', 'bridge.acquire-lock'],
  ['rotate the first page of a pdf', 'pdf.rotate'],
  ['how many requests a minute may I make', 'account.profile'],
  ['convert PowerPoint to PDF', 'pdf.from-office'],
  ['PDF from a PowerPoint', 'pdf.from-office'],
  ['number the pages of a PDF', 'pdf.watermark'],
  ['the number of pages of a PDF', 'pdf.metadata'],
  ['compare two CSV price lists by sku', 'data.diff'],
  ['replace mail addresses in a CSV by hashes', 'data.derive'],
  ['coordinates and time zone of Lisbon', 'location.geocode'],
  ['be told by a webhook', 'webhooks.register'],
  ['who has not signed yet', 'esigndoc.read-status'],
  ['which file formats can be converted', 'doc.formats'],
  ['stamp invoice pdf with PAID in red diagonal', 'pdf.watermark'],
  ['redact emails from pdf', 'pdf.redact'],
  ['black out bank account numbers', 'pdf.redact'],
  ['jpeg under 100 kb', 'image.compress'],
  ['write text on image', 'image.composite'],
  ['brand colours from a picture', 'image.dominant-color'],
  ['read the code on a parcel label photo', 'codes.qr-decode'],
  ['shrink a video to 720p', 'media.convert'],
  ['deduplicate a mailing list', 'csv.dedupe'],
  ['rows missing an email address', 'data.dropna'],
  ['fill dear {{name}} for 200 people', 'text.template'],
  ['when is 9am tokyo in new york', 'utils.time'],
  ['SHA-256 checksum', 'utils.hash'],
  ['ask my boss to approve before i continue', 'bridge.create-ask'],
  ['work queue shared between agents', 'bridge.open-channel'],
  ['tell my server when a task is over', 'webhooks.register'],
  ['Scale clip.mp4 to 160 pixels wide', 'media.convert'],
  ['Scale photo.jpg to 160 pixels wide', 'image.resize'],
  ['How hard to read is this paragraph?', 'text.count'],
  ['which pages are landscape', 'pdf.metadata'],
  ['sizes of the pages of a PDF', 'pdf.metadata'],
  ['List all links of this saved page with absolute addresses.', 'text.html-to-text'],
  ['Keep {"a":1} for one hour, then it must be gone', 'storage.drop'],
  ['make a log to which lines are added', 'storage.scratchpad'],
  ['From a JSON document give me all items whose price is above 10.', 'data.filter'],
  ['What can I lease here? Take the cheapest', 'leases.pricing'],
  ['delete everything that I have stored', 'baton.delete'],
  ['pay for a hash without an account', 'utils.hash'],
  ['pay without an account', 'x402.supported'],
  ['list my batons', 'baton.list'],
  ['put four photos into one picture, two by two', 'image.contact-sheet'],
  ['contract with a client who pays 250 USD on delivery', 'contracts.create-contract'],
  ['check a supplier against my own list', 'screening.load-list'],
  ['get name, date and amount out of an e-mail as JSON', 'llm.extract'],
  ['screen a company name', 'screening.match'],
  ['which colour is most common in a picture', 'image.dominant-color'],
  ['decode base64url', 'utils.base64'],
  ['number of words in a document', 'text.count'],
  ['put a logo in the middle of a white 400x400 square', 'image.extend'],
  ['have two people sign a PDF one after the other', 'esigndoc.create-envelope'],
  ['make a tar.gz of files', 'archive.zip'],
  ['Take the sound off clip.mp4 so that the video is silent.', 'media.convert'],
  ['Make photo.jpg a JPEG of at most 30 kB.', 'image.compress'],
  ['How alike are "Jon Smith" and "John Smyth"?', 'data.sql'],
  ['Pivot sales.csv: a row per city, a column per month', 'data.pivot'],
])('%s: what does it stands first', (query, name) => expect(find(query)[0]).toBe(name))

test('the name of a city is no misspelt word, and what cannot run here is not all that is found', () => {
  const found = find('How far is Berlin from Paris?')
  expect(found.slice(0, 2).toSorted()).toEqual(['location.geocode', 'location.route'])
  expect(found.filter(name => name.startsWith('doc.'))).toEqual([])
})

test('every call has words of its own, and what wishes are for is offered', () => {
  const known = new Set(QUERIES.flatMap(([, ...right]) => right))
  const offered = new Set(entries.map(({ name }) => name))
  expect(entries.filter(({ keywords }) => !keywords).map(({ name }) => name)).toEqual([])
  expect([...known].filter(name => !offered.has(name))).toEqual([])
})

test('every operation is found by its own name and summary', () => {
  for (const { name, summary } of entries.filter(({ kind }) => kind === 'operation')) {
    expect(find(name)[0], name).toBe(name)
    expect(find(summary), summary).toContain(name)
  }
})

test.each([
  ['how much money is left', 'account.profile'],
  ['is my job finished', 'jobs.read'],
  ['upload a large file', 'outputs.upload-url'],
  ['answer questions over my documents', 'rag.answer'],
  ['chat with a pdf', 'rag.answer'],
  ['is this customer on a sanctions list', 'screening.match'],
  ['politically exposed person check', 'screening.match'],
  ['aml name screening', 'screening.match'],
  ['tell me when a customer gets sanctioned', 'screening.create-monitor'],
  ['how old is the ofac list', 'screening.lists'],
  ['mark a screening hit as a false positive', 'screening.dismiss'],
  ['delete a document from my knowledge base', 'baton.delete-vectors'],
  ['limit how many times a baton may be read', 'baton.mint-token'],
])('routes are found too: %s', (query, name) => {
  expect(find(query)).toContain(name)
})

test.each([
  ['create an api key', 'account.create-key'],
  ['a key that may spend two dollars a day', 'account.create-key'],
  ['revoke a key', 'account.drop-key'],
])('what a person does in the dashboard is found, and says so: %s', (query, name) => {
  const { results } = searchCalls(entries, { query, limit: 3 }, {})
  expect(results.find(call => call.name === name)).toMatchObject({ needs: 'session' })
  expect(results.find(call => call.name === name)).not.toHaveProperty('tool')
})

test('wishes that no call fulfils are noted, and seldom those that one does', () => {
  const isNoted = (query: string) => {
    const found = searchCalls(entries, { query, limit: 5 }, {})
    return 'note' in found || found.results.length === 0
  }
  const fulfilled = [...QUERIES, ...BLIND_QUERIES, ...UNSEEN_QUERIES].filter(([query, ...right]) =>
    right.includes(find(query)[0]!),
  )
  expect(UNFULFILLED_QUERIES.filter(isNoted).length / UNFULFILLED_QUERIES.length).toBeGreaterThanOrEqual(0.75)
  expect(fulfilled.filter(([query]) => isNoted(query)).length / fulfilled.length).toBeLessThanOrEqual(0.04)
})

test.each([
  ['black out an e-mail address in a PDF so nobody can copy it', 'pdf.redact'],
  ['print Page 3 of 6 at the bottom of every page of a PDF but not the first', 'pdf.watermark'],
  ['shrink a PDF below 200 kB', 'pdf.compress'],
  ['take a web page as a PDF in A5 landscape', 'web.pdf'],
  ['sum the amount per month in a sales CSV', 'data.sql'],
  ['make an e-book from Markdown', 'doc.convert'],
  ['what changed between two versions of a contract paragraph, word by word', 'text.diff'],
  ['where is it quiet in a recording, list the silences longer than half a second', 'media.silence'],
  ['read whether a question was answered', 'bridge.read-ask'],
  ['check two names against sanction lists', 'screening.match'],
  ['count how often each city occurs in a table', 'data.groupby'],
  ['make my pdf smaller so it fits in an email', 'pdf.compress'],
  ['add subtitles into a video', 'media.subtitle-burn'],
  ['speed up a lecture by 1.5', 'media.speed'],
  ['vector logo to png', 'image.convert'],
  ['rotate a picture by 90 degrees', 'image.rotate'],
  ['still from a video at 5 seconds', 'media.thumbnail'],
  ['top ten customers by revenue', 'data.groupby'],
  ['hide the names and phone numbers in a pdf', 'pdf.redact'],
  ['detect personal data in text', 'text.regex-extract'],
  ['check that every row has a valid email', 'data.validate'],
  ['make a 200 pixels wide WebP of a JPEG photo', 'image.resize'],
  ['keep a text and give a colleague a token with which he can only read it', 'storage.drop'],
  ['keep three notes so that I can search them by wording', 'storage.vector'],
  ['scale photo.jpg to 300 wide, make it grey, give WebP in one call', 'pipeline.run'],
  ['take the main article out of saved HTML as Markdown', 'text.article'],
  ['distance between Berlin and Paris in km', 'location.geocode'],
  ['Put A.pdf (2 pages) and B.pdf (3 pages) together into one PDF.', 'pdf.merge'],
  ['Make tone.wav twice as fast.', 'media.speed'],
  ['compare two excel files', 'data.diff'],
  ['list comments in a word file', 'doc.convert'],
  ['convert to parquet', 'data.sql'],
])('%s: the right call is first', (query, name) => expect(find(query)[0]).toBe(name))

test('misspelt words and any script are understood or ignored, never an error', () => {
  expect(find('pdf watermrak')[0]).toBe('pdf.watermark')
  expect(find('compres jpeg')).toContain('image.compress')
  expect(find('日本語 🦉 ///')).toEqual([])
  expect(find('')).toEqual([])
})

test('a hostile query costs no more than a long sentence', () => {
  const words = Array.from({ length: 10_000 }, (_, at) => `w${(at * 7919).toString(36)}rmark`).join(' ')
  const before = process.cpuUsage()
  for (let run = 0; run < 5; run++) find(words)
  expect(process.cpuUsage(before).user / 5_000).toBeLessThan(500)
})

test.each([
  [['convert', 'converts', 'converting', 'converter', 'converted']],
  [['compress', 'compression', 'compressing', 'compressed']],
  [['crop', 'cropping', 'cropped', 'crops']],
  [['rotate', 'rotation', 'rotating', 'rotates']],
  [['copy', 'copies']],
  [['box', 'boxes']],
])('%j have one stem', forms => {
  expect(new Set(forms.map(stem)).size).toBe(1)
})

test('the bounds of a price are told of the best match alone', () => {
  const [best, second] = searchCalls(entries, { query: 'remove duplicate rows', limit: 2 }, {}).results
  expect(best!.price).toMatch(/; at least 0.001 and at most 1 USD per call$/)
  expect([second!.fields !== undefined, second!.price]).toEqual([true, expect.not.stringContaining('at most')])
})

test('of long lists of values, such as encodings, the search tells the first four', () => {
  const [best] = searchCalls(entries, { query: 'csv.select', limit: 1 }, {}).results
  expect(best!.fields).toContain('encoding=auto auto|utf-8|utf-16le|utf-16be|... 29 more, comment string')
})

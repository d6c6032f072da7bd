import { expect, test } from 'vitest'
import { guessLegacyCharset } from '../../../tasks/formats/charsets/guess.ts'
import { runTable } from '../../support/data/tables.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'

const SCRIPT =
  'import sys,json,base64; print(json.dumps([base64.b64encode(t.encode(e)).decode() for e,t in json.load(sys.stdin)]))'

const PYTHON_NAMES: Record<string, string> = { 'x-mac-cyrillic': 'mac_cyrillic', 'windows-874': 'cp874' }

function encode(texts: readonly (readonly [charset: string, text: string])[]): Buffer[] {
  const named = texts.map(([charset, text]) => [PYTHON_NAMES[charset] ?? charset, text])
  const encoded = runProgram(PYTHON, ['-c', SCRIPT], Buffer.from(JSON.stringify(named)))
  return (JSON.parse(encoded) as string[]).map(base64 => Buffer.from(base64, 'base64'))
}

/** Tables as offices export them: of a few cells and of many, with ASCII between. */
const TABLES: Record<string, string[]> = {
  shift_jis: [
    '氏名,都道府県\n山田太郎,東京都\n',
    'id,name\n1,さくら\n',
    '商品コード;商品名;単価\nA-1;ボールペン（黒）;120\nA-2;ノート;300\n',
    `${'id,email,amount\n1,a@example.com,10.5\n'.repeat(40)}2,鈴木,会社\n`,
    '日付,曜日,摘要\n2024/01/05,金,電気料金のお支払い\n2024/01/06,土,ﾃﾞﾝｷ ﾘｮｳｷﾝ 株式会社\n',
  ],
  'windows-1251': [
    'имя,город\nИван,Москва\n',
    'ФИО;ГОРОД\nИВАНОВ ИВАН;САНКТ-ПЕТЕРБУРГ\n',
    'id,name\n1,Ольга\n',
    'Дата;Сумма;Назначение платежа\n01.02.2024;1\u00a0200,50;Оплата по договору № 12\n',
    'назва,місто\nКниґарня «Є»,Київ\nЇжак,Львів\n',
    'име,град\nГеорги,София\nМария,Пловдив\n',
    `${'id,email,amount\n1,a@example.com,10.5\n'.repeat(40)}2,Анна,да\n`,
    'име,место\nЂорђе,Ниш\nЉубица,Чачак\n',
  ],
  'koi8-r': ['имя,город\nИван,Москва\nОльга,Тверь\n', 'ФИО;ГОРОД\nИВАНОВ ИВАН;САНКТ-ПЕТЕРБУРГ\n'],
  'windows-1253': ['όνομα,πόλη\nΓιώργος,Αθήνα\nΜαρία,Θεσσαλονίκη\n'],
  'windows-1255': ['שם,עיר\nדוד,ירושלים\nשרה,תל אביב\n'],
  'windows-1256': ['الاسم,المدينة\nمحمد,القاهرة\nفاطمة,دمشق\n'],
  gb18030: [
    '姓名,城市\n张伟,北京\n王芳,上海\n',
    'id,name\n1,李娜\n2,订单已发货\n',
    '商品编号;名称;价格\nA-1;圆珠笔（黑）;12\nA-2;笔记本;30\n',
  ],
  big5: ['姓名,城市\n陳大文,臺北市\n林美玲,高雄市\n', 'id,name\n1,這是訂單的說明\n2,已經出貨\n'],
  'euc-kr': ['이름,도시\n김철수,서울\n이영희,부산\n', 'id,name\n1,주문이 완료되었습니다\n'],
  'euc-jp': ['名前,都市\nさくら,東京\nたろう,大阪\n'],
  ibm866: ['имя,город\nИван,Москва\nОльга,Тверь\n', 'ФИО;Город\nИВАНОВ ИВАН;САНКТ-ПЕТЕРБУРГ\n'],
  'x-mac-cyrillic': ['имя,город\nИван,Москва\nОльга,Тверь\n'],
  'windows-874': ['ชื่อ,เมือง\nสมชาย,กรุงเทพ\nสมหญิง,เชียงใหม่\n'],
  'windows-1250': [
    'imię,miasto\nPaweł,Łódź\nMałgorzata,Wrocław\n',
    'nazwa;opis\nŁóżko;Są też żółte\n',
    'Żółw\nzażółć\n',
    'jméno,město\nJiří Dvořák,Plzeň\nBožena Němcová,Hradec Králové\n',
    'meno,mesto\nĽuboš Šťastný,Košice\nŽofia,Piešťany\n',
    'név,város\nErdős Pál,Győr\nSzűcs Ágnes,Hódmezővásárhely\n',
    'nume,oraş\nIonuţ,Braşov\nŞtefan,Constanţa\nMădălina,Bacău\n',
    'ime,grad\nŽeljko Marković,Čakovec\nĐurđica Horvatić,Šibenik\n',
    `${'id,email,amount\n1,a@example.com,10.5\n'.repeat(40)}2,Wałęsa,Gdańsk\n`,
  ],
  'iso-8859-2': ['imię,miasto\nStanisław Leśniak,Śląsk\nBoże,Źródło są\n', 'jméno\nŠťastný\nŽižka\nLukáš\n'],
  'windows-1254': [
    'ad,şehir\nAyşe Yılmaz,İstanbul\nÇağrı,Muğla\nGül,Eskişehir\n',
    'Şube;Açıklama\n1;Aylık sipariş kaydı\n',
  ],
  'windows-1257': ['vardas,miestas\nŽivilė,Šiauliai\nRūta,Panevėžys\n', 'vārds,pilsēta\nJānis Bērziņš,Rīga\nĶekava\n'],
  macintosh: [
    'nombre,país\nJosé Peña,España\nMaría,Bogotá\n',
    'Année;Éléments;Créé\n2024;Île-de-France;où ça\n',
    'name\nMüller\nGrößer\nÄrzte\n',
    'preço;descrição\n10;opções não contêm açúcar\n',
  ],
  'windows-1252': [
    'first,last,city\nSøren,José María,Málaga\nJürgen,Françoise,Nîmes\nPeña,Åsa,Malmö\n',
    'ville\nParis–Berlin\nl’été — déjà\n',
    'It’s a “test” — really—and yes–no…\n'.repeat(20),
    'Sørensen\n',
    'José\nSøren\nMaría\n',
    'Þór\nÝmir\nGuðrún\nSigríður\nRagnheiður\n',
    'largo;m²\nsuperficie;km²\nvolume;m³\n1º;2ª\n',
    'Zoë Saldaña\nBeyoncé\nBjörk\nRenée Zellweger\nPenélope Cruz\nStellan Skarsgård\nMads Mikkelsen Ærø\n',
    'name\nMüller\n',
    'name,city\nJosé,São Paulo\nJoão,Maranhão\n',
    'Année;Éléments;Créé\n2024;Île-de-France;où ça\n',
    'Straße,Größe\nÜbergröße,ÄÖÜ\n',
    'navn,by\nÅse,Århus\nØyvind,Ærø\n',
    'nafn,staður\nÞórður,Ísafjörður\nÁsa á Hól,þú\n',
    'tuote;hinta\nÄyriäinen;5 €\nÖljy;3 €\n',
    'a,b\n“quoted”,it’s – fine…\n',
    'a\n€ 12\n£ 5\n½\n25 °C\n',
    'NOMBRE,PAÍS\nMUÑOZ,ESPAÑA\nNÚÑEZ,PERÚ\n',
    'É\n',
    'ville\nLÜBECK\nÉVREUX\nÀÉÈ\n',
    'preço;descrição\n10;opções não contêm açúcar\n',
    `${'id,email,amount\n1,a@example.com,10.5\n'.repeat(400)}2,Zoë,naïve\n`,
    'note\n«Hola» ¿qué? ¡sí!\n',
    'name\nÄnne\nÀlex\nÄrzte\nÆgir\n',
    'õ,ä,ö,ü\nõun,äädikas,öö,üü\njäääär,töö,püüe,õõv\n',
  ],
}
const CASES = Object.entries(TABLES).flatMap(([charset, texts]) => texts.map(text => [charset, text] as const))

test('the charset of tables is guessed from their letters', () => {
  const encoded = encode(CASES)
  const guessed = CASES.map(([, text], index) => [guessLegacyCharset(encoded[index]!), text])
  expect(guessed).toEqual(CASES)
})

test('a charset is only guessed if it has all bytes of the text', () => {
  // Latvian in Windows-1257, which has no 0xa1.
  const bytes = Buffer.from('76e27264732052ee6761204ae26e69732042e7727af2c620a1', 'hex')
  expect(guessLegacyCharset(bytes.subarray(0, -1))).toBe('windows-1257')
  expect(guessLegacyCharset(bytes)).toBe('windows-1252')
})

test.each([
  ['shift_jis', '氏名,都道府県\n山田太郎,東京都\n', 'read as shift_jis'],
  ['windows-1251', 'имя,город\nИван,Москва\n', 'read as windows-1251'],
  ['windows-1252', 'nom,ville\nJosé,Orléans\n', 'read as Windows-1252'],
])('a table in %s is read without being told', async (charset, text, message) => {
  const inline = encode([[charset, text]])[0]!.toString('base64')
  const { written, preview, warnings } = await runTable('slice', { file: { inline, name: 'a.csv' }, limit: 9 })
  expect(written).toBe(text)
  expect(preview).toHaveLength(1)
  expect(warnings).toEqual([{ code: 'CHARSET_GUESSED', message: expect.stringContaining(message) }])
})

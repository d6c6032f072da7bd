/** Small files in the formats of the publishers, with invented entries. */
export const OFAC_FILES: Record<string, string> = {
  'sdn.csv':
    '1001,"QUEXINGTON, Zorblatt",individual,"SAMPLE-A] [SAMPLE-B",Baron,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 17 Apr 1961; POB Nowhere; nationality Russia; Gender Male; Passport XQ000001 (Russia); a.k.a. \'THE BARON\'."\r\n' +
    '1002,"NOWHERE TRADING LLC",-0- ,SAMPLE-C,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Tax ID No. 000000000001 (Russia); Digital Currency Address - XBT 1SampLeWaLLet000; Linked To: NOBODY."\r\n' +
    '1003,"FLYING DUTCHCAT",vessel,SAMPLE-C,-0- ,ABCD1,Tanker,-0- ,-0- ,Panama,-0- ,"Vessel Registration Identification IMO 9000001; MMSI 352000001"\r\n\x1a\r\n',
  'add.csv':
    '1001,1,"1 Empty Street","Moscow 101000","Russia",-0- \r\n1002,2,-0- ,"Dubai","United Arab Emirates",-0- \r\n',
  'alt.csv': '1001,11,"aka","KWEXINGTON, Zorblat",-0- \r\n1002,12,"fka","SOMEWHERE TRADING",-0- \r\n',
  'sdn_comments.csv': '1001,"; alt. DOB 1962"\r\n',
}

export const UN_FILE = `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-11-01T10:00:00Z"><INDIVIDUALS>
<INDIVIDUAL><DATAID>6900001</DATAID><FIRST_NAME>QADIR</FIRST_NAME><SECOND_NAME>BIN WAHMI</SECOND_NAME><UN_LIST_TYPE>Nowhere</UN_LIST_TYPE>
<REFERENCE_NUMBER>NWi.001</REFERENCE_NUMBER><LISTED_ON>2001-01-25</LISTED_ON><NAME_ORIGINAL_SCRIPT>قادر بن وهمي</NAME_ORIGINAL_SCRIPT>
<COMMENTS1>Father &amp; son &#8211; invented.</COMMENTS1><DESIGNATION><VALUE>Minister of <![CDATA[<Fables>]]></VALUE></DESIGNATION>
<NATIONALITY><VALUE>Iraq</VALUE></NATIONALITY><INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Abu Nobody</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1975</FROM_YEAR><TO_YEAR>1976</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>A0001</NUMBER><ISSUING_COUNTRY>Iraq</ISSUING_COUNTRY></INDIVIDUAL_DOCUMENT>
</INDIVIDUAL></INDIVIDUALS><ENTITIES><ENTITY><DATAID>6900002</DATAID><FIRST_NAME>BRIGADE OF THE PAPER MOON</FIRST_NAME>
<ENTITY_ADDRESS><CITY>Nowhere</CITY><COUNTRY>Syrian Arab Republic</COUNTRY></ENTITY_ADDRESS></ENTITY></ENTITIES></CONSOLIDATED_LIST>`

export const EU_FILE = `<?xml version="1.0"?><export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-11-02T00:00:00.000+01:00">
<sanctionEntity designationDate="2020-01-01" euReferenceNumber="EU.1.1" logicalId="1"><remark>Invented.</remark>
<regulation programme="NWR" numberTitle="2020/1"><publicationUrl>https://example.test/r</publicationUrl></regulation>
<subjectType code="person" classificationCode="P"/><nameAlias wholeName="Vladislav Imaginarov" strong="true" gender="M" function="Clerk > chief"/>
<nameAlias wholeName="Vlad the Unreal" strong="false"/><birthdate birthdate="1970-11-02" city="Vydumansk" countryIso2Code="RU"/>
<citizenship countryIso2Code="RU"/><identification number="77 1111" identificationTypeCode="passport" countryIso2Code="RU"/>
<address street="1 Street" city="Minsk" countryIso2Code="BY"/></sanctionEntity></export>`

export const UK_FILE = `Report Date: 21-Nov-2026\r
Last Updated,Unique ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,Name non-latin script,Regime Name,Designation Type,Address Line 1,Address Country,Date Designated,D.O.B,Nationality(/ies),Passport number,Gender,Town of birth,Country of birth,IMO number\r
01/01/2024,NWR0001,HNARYAN,Karapet,,,,,Primary Name,,Կարապետ Հնարյան,The Nowhere Regulations,Individual,1 Lane,Armenia,31/12/2020,17/07/1977,Armenia,AN0001,Male,Yerevan,Armenia,\r
01/01/2024,NWR0001,HNARIAN,Karo,,,,,Alias,Low quality a.k.a,,The Nowhere Regulations,Individual,,,31/12/2020,dd/mm/1978,Armenia,,Male,,,\r
01/01/2024,NWR0002,OCEAN MIRAGE,,,,,,Primary Name,,,The Nowhere Regulations,Ship,,,01/02/2021,,,,,,,9000002\r
`

export const CSL_FILE =
  '_id,source,entity_number,type,programs,name,title,addresses,start_date,remarks,alt_names,citizenships,dates_of_birth,nationalities,places_of_birth,source_list_url,ids\n' +
  'a1,Entity List (EL) - Bureau of Industry and Security,,Entity,,Unreal Dynamics Corp,,"1 Road, Pyongyang, KP",2020-01-01,,Surreal Dynamics; UDC,,,,,https://example.test,"Registration ID, 123456, KP"\n'

export const TARGETS_FILE = `${[
  {
    id: 'Q1',
    caption: 'Augusta Romanova-Smythe',
    schema: 'Person',
    last_change: '2026-11-03T00:00:00',
    properties: {
      name: ['Augusta Romanova-Smythe'],
      alias: ['Augusta Smythe'],
      birthDate: ['1960-08-12'],
      nationality: ['ca'],
      topics: ['role.pep'],
      position: [{ caption: 'Minister of Fables' }],
      passportNumber: ['CA0001'],
    },
  },
  { id: 'Q2', caption: 'Plain Address', schema: 'Address', properties: { full: ['Nowhere'] } },
  {
    id: 'Q3',
    caption: 'Ghost Holding',
    schema: 'Company',
    properties: { name: ['Ghost Holding'], topics: ['sanction', 'role.pep'], country: ['cy'], leiCode: ['0000GHOST'] },
  },
]
  .map(line => JSON.stringify(line))
  .join('\n')}\n`

export const SECO_FILE = `<swiss-sanctions-list date="2026-11-04"><target ssid="7" sanctions-set-id="1"><sanctions-set-id>1</sanctions-set-id>
<individual sex="male"><identity ssid="8" main="true"><name ssid="9" name-type="primary-name">
<name-part order="2" name-part-type="family-name"><value>Zghapridze</value><spelling-variant>ზღაპრიძე</spelling-variant></name-part>
<name-part order="1" name-part-type="given-name"><value>Gamogonil</value><spelling-variant>გამოგონილ</spelling-variant></name-part></name>
<day-month-year day="19" month="1" year="1959"/><nationality><country iso-code="GE">Georgia</country></nationality></identity></individual>
<modification modification-type="listed" effective-date="2020-02-02"/></target></swiss-sanctions-list>`

export const DFAT_FILE =
  'Reference,Name of Individual or Entity,Type,Name Type,Date of Birth,Place of Birth,Citizenship,Address,Additional Information,Committees,Control Date,IMO Number\n' +
  '12,Kwabena Nsemhunu,Individual,Primary Name,1956,,Ghana,,Invented,Nowhere,01/02/2020,\n12a,Nsemhunu the Elder,Individual,aka,,,,,,,,\n'

export const SEMA_FILE = `<data-set><record><Country>Belarus / Bélarus</Country><LastName>Vymyslov</LastName><GivenName>Nikanor</GivenName><Schedule>1</Schedule>
<Item>3</Item><Aliases>Nikanor Pridumov</Aliases><DateOfBirth>1969-09-09</DateOfBirth></record><record><Country>Russia</Country>
<EntityOrShip>Vydumka JSC</EntityOrShip><Schedule>2</Schedule><Item>9</Item></record></data-set>`

/** Words of English that are often misspelt, and that are no words as they stand: wrong and right in turn. */
const PAIRS = `
abscence absence accomodate accommodate accomodation accommodation acheive achieve acheived achieved acknowlege acknowledge
aquire acquire aquired acquired accross across adress address adresses addresses agressive aggressive allready already alot a_lot
amatuer amateur anual annual apparant apparent apparantly apparently appearence appearance arguement argument assasin assassin
athiest atheist athelete athlete attatch attach attatched attached availible available avaliable available basicly basically
becuase because becasue because beacuse because begining beginning beleive believe beleived believed beneficary beneficiary
benifit benefit benifits benefits breif brief briliant brilliant buisness business bussiness business calender calendar
catagory category catagories categories cemetary cemetery certian certain changable changeable cheif chief collegue colleague
collegues colleagues comming coming commited committed commitee committee comittee committee commitment commitment
comparision comparison completly completely concensus consensus congradulations congratulations concious conscious
consistant consistent contruction construction convinient convenient copywrite copyright critisism criticism curiousity curiosity
decieve deceive definately definitely definatly definitely definetly definitely defintely definitely dependant_on dependent_on
desparate desperate develope develop developement development diffrent different difficulty difficulty dilema dilemma
disapear disappear disapeared disappeared disapoint disappoint disapointed disappointed disasterous disastrous
doesnt doesn't dont don't didnt didn't couldnt couldn't wouldnt wouldn't shouldnt shouldn't isnt isn't wasnt wasn't
thats that's whats what's arent aren't werent weren't havent haven't hasnt hasn't hadnt hadn't
embarass embarrass embarassing embarrassing embarassed embarrassed enviroment environment enviromental environmental
equiptment equipment exagerate exaggerate excede exceed excellant excellent existance existence experiance experience
explaination explanation extention extension extreemly extremely familar familiar facinating fascinating feild field
finaly finally flourescent fluorescent foriegn foreign fourty forty foward forward freind friend freinds friends
fullfil fulfil futher further gaurd guard generaly generally goverment government governement government grammer grammar
gaurantee guarantee garantee guarantee guage gauge happend happened harrass harass harrassment harassment heigth height
hierachy hierarchy humourous humorous hygeine hygiene hypocracy hypocrisy idenity identity immediatly immediately
imediately immediately incidently incidentally independant independent independance independence indispensible indispensable
infomation information inital initial innoculate inoculate intelligance intelligence interupt interrupt intresting interesting
irresistable irresistible knowlege knowledge knowledgable knowledgeable labratory laboratory lenght length liason liaison
libary library lisence license lightening_strike lightning_strike loosing_money losing_money maintainance maintenance
maintenence maintenance managment management manuever maneuver medeival medieval millenium millennium miniscule minuscule
mischievious mischievous mispell misspell misspelt misspelt momento memento neccessary necessary necesary necessary
neccesary necessary necessery necessary neighbour neighbour noticable noticeable occassion occasion occasionaly occasionally
occured occurred occuring occurring occurence occurrence occurance occurrence offical official oppurtunity opportunity
oportunity opportunity orginal original parliment parliament particulary particularly peice piece percieve perceive
performence performance permenant permanent perseverence perseverance personel personnel pharoah pharaoh playright playwright
posession possession possesion possession possable possible potatos potatoes preceeding preceding prefered preferred
preferance preference prehaps perhaps presance presence privelege privilege priviledge privilege probaly probably
probelm problem professer professor promiss promise pronounciation pronunciation publically publicly quarentine quarantine
questionaire questionnaire realy really reccomend recommend recomend recommend reccommend recommend recieve receive
recieved received recieving receiving recieves receives reciept receipt refered referred referal referral refering referring
relevent relevant religous religious reluctent reluctant rember remember rememberance remembrance repitition repetition
restaraunt restaurant resturant restaurant rythm rhythm rythym rhythm sacrafice sacrifice saftey safety scedule schedule
seperate separate seperated separated seperately separately seperation separation sieze seize shedule schedule
similiar similar simular similar sincerly sincerely speach speech specificly specifically stategy strategy stoped stopped
strenght strength succesful successful successfull successful succesfully successfully succesfull successful sucess success
supercede supersede suprise surprise suprised surprised surprize surprise suspician suspicion tendancy tendency
teh the thier their theif thief threshhold threshold tommorow tomorrow tommorrow tomorrow tomorow tomorrow tounge tongue
truely truly twelth twelfth tyrany tyranny underate underrate unfortunatly unfortunately unneccessary unnecessary
untill until usefull useful usualy usually vaccum vacuum vegatable vegetable vehical vehicle visable visible
wether_or_not whether_or_not wich which wierd weird writting writing writen written yeild yield youre you're
accidently accidentally acording according aditional additional alltogether altogether analize analyze anythign anything
aproach approach appropiate appropriate asumption assumption becomming becoming carreer career challange challenge charactor
character childern children compatability compatibility conection connection contian contain controll control
corespond correspond curently currently custumer customer descision decision desicion decision destory destroy diferent different
dicussion discussion documenation documentation effecient efficient elimentary elementary emphasise emphasise enought enough
everthing everything exellent excellent expierence experience faliure failure functionalty functionality garentee guarantee
hapiness happiness heros heroes implemenation implementation importent important improvment improvement inconvienient inconvenient
intergrate integrate intial initial langauge language langauges languages leagal legal likly likely mesage message
minimun minimum modifed modified morever moreover naturaly naturally nessecary necessary observaton observation paramter parameter
parrallel parallel paralell parallel payed_for paid_for perfomance performance phenomenom phenomenon posible possible
powerfull powerful prefrence preference privte private proccess process propery property
recogize recognize remeber remember reponse response responsability responsibility responsable responsible satelite satellite
secretery secretary sentance sentence seach search sevral several signifcant significant somthing something
stregth strength strucutre structure sugest suggest sytem system technicaly technically temperture temperature
themselfs themselves togehter together transfered transferred tranlsate translate vairable variable whcih which wihch which
witht with thsi this taht that adn and hte the whith with wiht with waht what thna than ther_are there_are
`

export const MISSPELLINGS: ReadonlyMap<string, string> = new Map(readPairs())

function readPairs(): [string, string][] {
  const words = PAIRS.trim()
    .split(/\s+/)
    .map(word => word.replaceAll('_', ' '))
  const pairs = words.flatMap((wrong, index) =>
    index % 2 === 0 ? [[wrong, words[index + 1]!] as [string, string]] : [],
  )
  return pairs.filter(([wrong, right]) => wrong !== right)
}

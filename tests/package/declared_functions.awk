# Prints the functions that a header declares and does not define, one name per line. Pure virtual ones
# need no definition.
{
    sub(/\/\/.*$/, "")
    gsub(/\[\[[^]]*\]\]/, "")
    if ($0 !~ /^ *#/)
        text = text $0 " "
}

function end_of_statement(    before) {
    before = statement
    statement = ""
    gsub(/requires *\(([^()]|\([^()]*\))*\)/, "", before)
    if (room[depth] == "body" || before !~ /\(/ || before ~ /= *(default|delete|0) *$/)
        return
    sub(/\(.*/, "", before)
    if (before ~ /[=<][^>]*$/ || before ~ /(^| )(using|friend|static_assert|inline|constexpr) /)
        return
    if (!match(before, /~?[A-Za-z_][A-Za-z0-9_]*$/))
        return
    name = substr(before, RSTART)
    if (name != "static_assert" && name !~ /^[A-Z_0-9]+$/ && text !~ ">::" name "\\(") # a template's
        print name
}

END {
    room[0] = "body"
    for (i = 1; i <= length(text); ++i) {
        c = substr(text, i, 1)
        parentheses += (c == "(") - (c == ")")
        if (parentheses > 0 || c !~ /[{};]/) {
            statement = statement c
        } else if (c == "{") {
            inside = statement ~ /namespace [^(]*$/ || statement ~ /(^| )(class|struct) [^(]*$/
            room[++depth] = inside && (depth == 1 || room[depth - 1] != "body") ? "declarations" : "body"
            statement = ""
        } else if (c == "}") {
            --depth
            statement = ""
        } else {
            end_of_statement()
        }
    }
}

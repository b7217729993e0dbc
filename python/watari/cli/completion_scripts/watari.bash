# bash completion of watari, written by `watari completion bash`
# shellcheck shell=bash disable=SC2207

_watari_words() { # words that may follow these words
    case $1 in
@BRANCHES@
    esac
}

_watari() {
    local line=${COMP_LINE:0:COMP_POINT} current before list
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local count=${#words[@]}
    current=${words[count - 1]}
    before=${words[count - 2]}
    if ((count <= 2)); then
        list=$(_watari_words '')
    elif list=$(_watari_words "${words[1]} $before"); [[ $before == --* && $list ]]; then
        :
    elif [[ ${words[1]} == @(run|predict|advise) && $current == *=* ]]; then
        local last=${current##*[=,]} # last value of a sweep
        list=$(_watari_words "run ${words[2]} ${current%%=*}=")
        list=$(for word in $list; do printf '%s ' "${current%"$last"}$word"; done)
        [[ $current == folder=* ]] && list=$(compgen -d -P folder= -- "${current#folder=}")
    elif ((count > 3)) && list=$(_watari_words "${words[1]} ${words[2]}"); [[ ${words[2]} != -* && $list ]]; then
        :
    else
        list=$(_watari_words "${words[1]}")
    fi
    COMPREPLY=($(compgen -W "$list" -- "$current"))
    if ((${#COMPREPLY[@]} == 0)) && [[ $current != *=* ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
    fi
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then # bash completes the text after =
        COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*=}"}"}")
    fi
}

complete -F _watari watari
